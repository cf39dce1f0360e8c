from quantext.reports.demo import DEMO_METHODS, run_demo


def test_the_demo_tells_its_story():
    steps = []
    demo = run_demo(progress=lambda *step: steps.append(step))
    n = 2 + len(DEMO_METHODS)
    assert [(done, total) for _, done, total in steps] == [(done, n) for done in range(n)]
    assert demo.p_true.shape == demo.p_hat["CC"].shape == (32, 12)
    # Prevalence drifts, so the training prevalence is far off; counting helps, and a count that
    # was trained for or corrected helps more.
    assert demo.mean_kld("CC") < demo.mean_kld("Training prevalence")
    assert demo.mean_kld("SVM(KLD)") < demo.mean_kld("CC")
    assert demo.mean_kld("PACC") < demo.mean_kld("CC")
