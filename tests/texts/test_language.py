"""Languages: told by common words, and not told where that is unsure."""

import pytest
import Stemmer

from quantext.texts.language import LANGUAGES, language_of

SENTENCES = {
    "english": "It was not what I had expected, but the staff were very kind to all of us.",
    "german": "Ich bin mit dem Gerät nicht zufrieden, aber die Mitarbeiter waren sehr nett zu uns.",
    "dutch": "Ik ben niet tevreden met het toestel, maar de medewerkers waren heel aardig.",
    "french": "Je ne suis pas satisfait de la livraison, mais les employés sont très gentils.",
    "spanish": "No estoy contento con el aparato, pero los empleados de la tienda son muy amables.",
    "portuguese": "Não estou contente com o aparelho, mas os funcionários da loja são muito bons.",
    "italian": "Non sono contento della consegna, ma gli impiegati del negozio sono molto gentili.",
    "catalan": "No estic content amb el telèfon, però els treballadors de la botiga són molt bons.",
    "danish": "Jeg er ikke tilfreds med telefonen, og efter en uge blev den meget langsom af sig.",
    "norwegian": "Jeg er ikke fornøyd med telefonen, og etter en uke ble den veldig treg av seg.",
    "swedish": "Jag är inte nöjd med telefonen, och efter en vecka blev den mycket långsam.",
    "finnish": "Puhelin ei ole hyvä, mutta se oli halpa ja minä olen nyt vielä tyytyväinen kun on.",
    "hungarian": "Nem vagyok elégedett a telefonnal, de az ára nagyon jó volt, és ez már elég is.",
    "romanian": "Nu sunt mulțumit de telefon, dar este foarte ieftin și am fost în magazin cu ei.",
    "turkish": "Telefon çok iyi ama pil için bir şey diyemem, daha sonra bana ne oldu bilmem ve.",
    "russian": "Я не доволен телефоном, но он был очень дешёвый, и мне его хватает на все дни.",
}


@pytest.mark.parametrize("name", SENTENCES)
def test_some_ordinary_sentences_tell_their_language(name):
    assert language_of([SENTENCES[name]] * 5) == name


def test_every_language_has_a_sentence_above_and_a_stemmer_of_its_name():
    assert SENTENCES.keys() == LANGUAGES.keys()
    assert set(LANGUAGES) <= set(Stemmer.algorithms())


@pytest.mark.parametrize(
    "texts",
    [
        [],
        ["7/10", "", "..."],
        ["Samsung Galaxy", "Sony", "iPhone 13 Pro"] * 20,
        ["the battery is not good"],  # three common words are too few
        [SENTENCES["english"], SENTENCES["german"]] * 5,
        ["Telefon nie działa, ale obsługa w sklepie była bardzo miła i szybka."] * 5,
    ],
    ids=["nothing", "no words", "names", "too few", "two languages", "none of them"],
)
def test_where_it_is_unsure_no_language_is_told(texts):
    assert language_of(texts) is None
