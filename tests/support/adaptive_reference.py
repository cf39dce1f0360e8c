"""The adaptive method once more, in loops over documents, classes and candidates."""

from functools import cache
from itertools import pairwise
from math import atan, exp, floor, lgamma, log, log1p, pi, sqrt
from statistics import fmean

import numpy as np

from quantext.scores.calibration import calibrate
from quantext.scores.training import ScoresByClass

THETA = [i / 8 for i in range(-96, 97)]
SIGMAS = [0.05 * 2**i for i in range(7)]


def sigmoid(x):
    return 1 / (1 + exp(-x)) if x > 0 else exp(x) / (1 + exp(x))


def logit(p):
    return log(p) - log1p(-p)


def rounded(z):
    """Middle of the bin: a multiple of 1/5 up to 14."""
    return max(-70, min(70, round(5 * z))) / 5


def moments(log_odds, theta):
    """Mean and variance of the posteriors of documents at a candidate."""
    values = [sigmoid(z + theta) for z in log_odds]
    mean = sum(values) / max(len(values), 1)
    return mean, max(sum(v * v for v in values) / max(len(values), 1) - mean * mean, 0)


def noise(mean, variance, n):
    return (n * variance + 2 * mean * (1 - mean)) / (n + 2) / max(n, 1)


def filled(function):
    """A function of theta at every fourth candidate, and straight lines between them."""
    known = [function(THETA[g]) for g in range(0, 193, 4)]
    return [
        known[g // 4] + (g % 4) / 4 * (known[min(g // 4 + 1, 48)] - known[g // 4])
        for g in range(193)
    ]


@cache
def sampling(size):
    """Probability of each share in a bag, given each of the population."""
    rows = []
    for t in THETA:
        b = sigmoid(t)
        n = min(size, 128 / (b * (1 - b)))
        logs = [
            n * b * log(sigmoid(u)) + n * (1 - b) * log(sigmoid(-u)) - lgamma(n * b)
            - lgamma(n * (1 - b)) + lgamma(n) for u in THETA
        ]  # fmt: skip
        weights = [exp(x) / 8 for x in logs]
        norm = lgamma(n * b) + lgamma(n * (1 - b)) - lgamma(n)
        weights[0] += exp(-n * b * (12 + 1 / 16) - norm) / (n * b)
        weights[-1] += exp(-n * (1 - b) * (12 + 1 / 16) - norm) / (n * (1 - b))
        rows.append([x / sum(weights) for x in weights])
    return rows


class Reference:
    """Learned from training documents; `read` a bag of scores and word counts.

    ``scores`` and ``y`` are lists of rows; ``words`` the sets of words that documents have and
    ``weights`` what a word adds to each column of scores.
    """

    def __init__(self, scores, y, kind, words=None, weights=None):
        self.kind, self.y, self.words = kind, y, words
        self.n, self.m = len(y), len(y[0])
        self.slope, self.offset = [], []
        for j in range(self.m):
            own = np.array([row[j] for row in scores])
            has = np.array([row[j] for row in y])
            counts = np.column_stack([~has, has]).astype(np.int64)
            [platt] = calibrate(ScoresByClass(own[:, None], counts))
            mean = fmean(sigmoid(platt.slope * s + platt.offset) for s in own)
            self.slope.append(platt.slope)
            self.offset.append(platt.offset - logit(mean))
        self.z = [self.log_odds(scores, j) for j in range(self.m)]
        self.p_train = [fmean(row[j] for row in y) for j in range(self.m)]
        self.counts = [self.n * p for p in self.p_train]
        self.effect = None if weights is None else [
            [(weights[f][j] * self.slope[j]) ** 2 for f in range(len(weights))]
            for j in range(self.m)
        ]  # fmt: skip
        self.inverse = None
        if kind != "multiclass":
            scatter = [
                [
                    sum((row[i] - self.p_train[i]) * (row[k] - self.p_train[k]) for row in y)
                    + (i == k)
                    for k in range(self.m)
                ]
                for i in range(self.m)
            ]
            self.inverse = np.linalg.inv(scatter)

    def log_odds(self, scores, j):
        return [rounded(self.slope[j] * row[j] + self.offset[j]) for row in scores]

    def of(self, j, has):
        """Log-odds for j of the documents that a function of their labels picks."""
        return [z for z, row in zip(self.z[j], self.y, strict=True) if has(row)]

    def regressed(self, values):
        """Effects of all labels on numbers of documents."""
        against = [
            sum((row[i] - self.p_train[i]) * v for row, v in zip(self.y, values, strict=True))
            for i in range(self.m)
        ]
        return [sum(self.inverse[i][k] * against[k] for k in range(self.m)) for i in range(self.m)]

    def spread(self, j):
        groups = [[False], [True]]
        within = [self.of(j, lambda row, g=g: [row[j]] == g) for g in groups]
        if self.kind == "multiclass":
            within = [self.of(j, lambda row, k=k: row[k]) for k in range(self.m)]
        means = [sum(own) / max(len(own), 1) for own in within]
        pairs = zip(within, means, strict=True)
        return sqrt(sum(sum((z - mu) ** 2 for z in own) for own, mu in pairs) / self.n)

    def excess(self, bag_words, p):
        """Squares of the unexplained change of words, beyond chance, by column."""
        if not self.words or bag_words is None:
            return [0.0] * self.m
        total = [0.0] * self.m
        for f in range(len(self.effect[0])):
            there = [float(f in own) for own in self.words]
            share = fmean(there)
            if self.kind == "multiclass":
                shares = [
                    fmean(t for t, row in zip(there, self.y, strict=True) if row[k])
                    for k in range(self.m)
                ]
                expected = sum(p[k] * shares[k] for k in range(self.m))
                chance = sum(p[k] ** 2 / self.counts[k] for k in range(self.m))
            else:
                effects = self.regressed(there)
                expected = share + sum((p[k] - self.p_train[k]) * effects[k] for k in range(self.m))
                chance = 1 / self.n + sum(
                    (p[k] - self.p_train[k]) ** 2
                    * (1 / self.counts[k] + 1 / (self.n - self.counts[k]))
                    for k in range(self.m)
                )
            left = fmean(float(f in own) for own in bag_words) - expected
            by_chance = share * (1 - share) * (1 / len(bag_words) + chance)
            for j in range(self.m):
                total[j] += self.effect[j][f] * (left**2 - by_chance)
        return total

    def company(self, j, p, variance):
        """Rest's mean, variance, noise, odd ones, its unknown shares; shift and noise of others."""
        nothing = [0.0] * 193
        others = [k for k in range(self.m) if k != j]
        if self.kind == "multiclass":
            own = {k: self.of(j, lambda row, k=k: row[k]) for k in others}
            total = sum(p[k] for k in others)
            w = {k: p[k] / total for k in others}
            pairs = [{k: moments(own[k], t) for k in others} for t in THETA]
            mean = [sum(w[k] * at[k][0] for k in others) for at in pairs]
            squares = [sum(w[k] * (at[k][1] + at[k][0] ** 2) for k in others) for at in pairs]

            def unsure(t):
                return sum(w[k] ** 2 * noise(*moments(own[k], t), len(own[k])) for k in others)

            def unknown(t):
                at = mean[THETA.index(t)]
                return sum(
                    variance[k] / (1 - p[j]) ** 2 * (moments(own[k], t)[0] - at) ** 2
                    for k in others
                )

            odd = sum(w[k] ** 2 / (len(own[k]) + 2) ** 2 for k in others)
            spread = [max(s - a * a, 0) for s, a in zip(squares, mean, strict=True)]
            return mean, spread, filled(unsure), odd, filled(unknown), nothing, nothing
        without = self.of(j, lambda row: not row[j])
        pairs = [moments(without, t) for t in THETA]
        unsure = [noise(a, v, len(without)) for a, v in pairs]
        shift, shift_noise = nothing, nothing
        if self.m > 1:
            effects = [self.regressed([sigmoid(z + t) for z in self.z[j]]) for t in THETA]
            drift, sure = {}, {}
            for i in others:
                given = fmean(row[i] for row in self.y if row[j])
                else_ = fmean(row[i] for row in self.y if not row[j])
                drift[i] = p[i] - else_ - p[j] * (given - else_)
                sure[i] = max(0, 1 - 4 * variance[i] / max(drift[i] ** 2, 1e-300))
            at = dict(zip(THETA, effects, strict=True))
            shift = filled(lambda t: sum(drift[i] * sure[i] * at[t][i] for i in others))
            shift_noise = filled(lambda t: sum(variance[i] * at[t][i] ** 2 for i in others))
        odd = 1 / (len(without) + 2) ** 2
        mean, spread = zip(*pairs, strict=True)
        return mean, spread, unsure, odd, nothing, shift, shift_noise

    def score(self, j, bag, p, variance, change, doubt, wrong):
        """Derivative of the log-likelihood of the share of j at each candidate."""
        own = self.of(j, lambda row: row[j])
        mean0, var0, noise0, odd0, unknown, shift, shift_noise = self.company(j, p, variance)
        result = []
        for g, t in enumerate(THETA):
            b = sigmoid(t)
            m, _ = moments(bag, t)
            a1, v1 = moments(own, t)
            a0, v0 = mean0[g], var0[g]
            e0, e1 = a0 * (1 - a0) - v0, a1 * (1 - a1) - v1
            V = (b * v1 + (1 - b) * v0) / len(bag)
            V += doubt * (b * b * noise(a1, v1, len(own)) + (1 - b) ** 2 * noise0[g])
            V += (1 - b) ** 2 * unknown[g] + shift_noise[g]
            V += wrong * (b * b / (len(own) + 2) ** 2 + (1 - b) ** 2 * odd0)
            V += change * (b * e1 + (1 - b) * e0) ** 2
            off = m - (b * a1 + (1 - b) * a0 + shift[g])
            result.append(off * max(a1 - a0, 0) * b * (1 - b) / max(V, 1e-300))
        return result

    def log_prior(self, j, size, variance):
        """Of the bag's share at each candidate, by sigma."""
        rows = sampling(size)

        def cumulative(theta, scale):
            t = (theta - logit(self.p_train[j])) / scale
            return 0.5 + (t / (1 + t * t) + atan(t)) / pi

        result = []
        for sigma in SIGMAS:
            scale = sqrt(3 * sigma**2 + variance)
            edges = [0, *(cumulative(t + 1 / 16, scale) for t in THETA[:-1]), 1]
            mass = [b - a for a, b in pairwise(edges)]
            bag = [sum(mass[h] * rows[h][g] for h in range(193)) for g in range(193)]
            result.append([log(max(x, 1e-300)) for x in bag])
        return result

    def posteriors(self, scores, priors, *, jumps):
        """Points and masses of each column; a sigma is as likely as all columns together say."""
        points, by_sigma, evidence = [], [], []
        for score, prior in zip(scores, priors, strict=True):
            likelihood = [0.0]
            for g in range(192):
                likelihood.append(likelihood[-1] + (score[g] + score[g + 1]) / 16)
            envelope = [max(own[g] for own in prior) for g in range(193)]

            def cell(t):
                place = min(max((t + 12) * 8, 0), 192)
                g = min(floor(place), 191)
                return g, place - g

            def line(values, t, cell=cell):
                g, u = cell(t)
                return values[g] + u * (values[g + 1] - values[g])

            def fine(t, likelihood=likelihood, score=score, cell=cell):
                g, u = cell(t)
                return likelihood[g] + u / 8 * (score[g] + u / 2 * (score[g + 1] - score[g]))

            theta = THETA
            for _ in range(2):
                height = [fine(t) + line(envelope, t) for t in theta]
                inside = [i for i, h in enumerate(height) if h > max(height) - 25]
                low = theta[max(inside[0] - 1, 0)]
                high = theta[min(inside[-1] + 1, len(theta) - 1)]
                theta = [low + (high - low) * i / 96 for i in range(97)]
            top = max(fine(t) + line(envelope, t) for t in theta)
            mass = [[exp(fine(t) - top + line(own, t)) for t in theta] for own in prior]
            points.append(theta)
            by_sigma.append(mass)
            evidence.append([log(max(sum(own), 1e-300)) for own in mass])
        result = []
        for j in range(self.m):
            logs = [
                -0.5 * (log(sigma / 0.5) / 0.7) ** 2
                + sum(evidence[i][s] for i in range(self.m) if i != j)
                for s, sigma in enumerate(SIGMAS)
            ]
            weights = [exp(x - max(logs)) for x in logs]
            fewer = min(self.counts[j], self.n - self.counts[j])
            jump = 0.2 * fewer / (fewer + 100) if self.m > 1 and jumps else 0.0
            weights = [
                (1 - jump) * w / sum(weights) + (jump / 2 if s >= 5 else 0.0)
                for s, w in enumerate(weights)
            ]
            mass = [sum(weights[s] * by_sigma[j][s][i] for s in range(7)) for i in range(97)]
            result.append((points[j], [x / sum(mass) for x in mass]))
        return result

    def read(self, bag, bag_words=None, level=0.95):
        """Estimate, lower and upper bounds, and change, of each column."""
        m, size = self.m, len(bag)
        columns = [self.log_odds(bag, j) for j in range(m)]
        least = [(0.1 * self.spread(j)) ** 2 for j in range(m)]

        def changed(p):
            found = zip(least, self.excess(bag_words, p), strict=True)
            return [low + 1.5 * max(excess, 0) for low, excess in found]

        def posteriors(p, variance, change, prior_variance, doubt, wrong):
            scores = [
                self.score(j, columns[j], p, variance, change[j], doubt, wrong) for j in range(m)
            ]
            priors = [self.log_prior(j, size, prior_variance[j]) for j in range(m)]
            return self.posteriors(scores, priors, jumps=not wrong)

        p, variance, change = self.p_train, [0.0] * m, changed(self.p_train)
        for _ in range(5 if self.kind == "multiclass" else 3):
            before = p
            found = posteriors(p, variance, change, [0.0] * m, 1.0, 0.0)
            p, variance = zip(*(_mean_variance(*own) for own in found), strict=True)
            if self.kind == "multiclass":
                p = _sum_to_one(p, variance)
            change = changed(p)
            moved = zip(p, before, variance, strict=True)
            if all(abs(new - old) <= 0.05 * sqrt(v) for new, old, v in moved):
                break
        doubted = [low + 2 * (c - low) for low, c in zip(least, change, strict=True)]
        of_sample = [1 / (self.n * q * (1 - q)) for q in self.p_train]
        found = posteriors(p, variance, doubted, of_sample, 6.0, 1.0)
        pairs = [_mean_variance(*own) for own in found]
        total = sum(v for _, v in pairs)
        low, high = [], []
        for j, (theta, mass) in enumerate(found):
            middles = [sum(mass[:i]) + mass[i] / 2 for i in range(97)]
            tails = (1 - level) / 2, 0.5, 1 - (1 - level) / 2
            a, middle, b = np.interp(tails, middles, theta)
            if self.kind == "multiclass":
                kept = sqrt(1 - pairs[j][1] / total)
                moved = logit(p[j]) - logit(pairs[j][0])
                a, b = (middle + kept * (x - middle) + moved for x in (a, b))
            low.append(floor(min(sigmoid(a), p[j]) * size + 1e-9) / size)
            high.append(-floor(-max(sigmoid(b), p[j]) * size + 1e-9) / size)
        return p, low, high, change


def _mean_variance(theta, mass):
    b = [sigmoid(t) for t in theta]
    mean = sum(w * x for w, x in zip(mass, b, strict=True))
    return mean, sum(w * (x - mean) ** 2 for w, x in zip(mass, b, strict=True))


def _sum_to_one(p, variance):
    """By halving the range in which the exponent lies."""
    give = [v / x for v, x in zip(variance, p, strict=True)]
    low, high = -1e3 / max(give), 1e3 / max(give)
    for _ in range(200):
        c = (low + high) / 2
        q = [x * exp(c * g) for x, g in zip(p, give, strict=True)]
        low, high = (c, high) if sum(q) < 1 else (low, c)
    return [x / sum(q) for x in q]
