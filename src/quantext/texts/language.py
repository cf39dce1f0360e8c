"""Language: what texts are written in, told by their commonest words; nothing where that is unsure.

The languages are those that have both a Snowball stemmer and words of their own that are frequent
enough to be counted in short answers.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

__all__ = ["LANGUAGES", "language_of", "most_have_emoji"]

_LEAST_SHARE = 0.12  # of the words must be common ones; in prose about 0.4 are, in tweets 0.25
_LEAST_LEAD = 0.1  # of its common words that the best language must have more than the next
_LEAST_HITS = 10  # by which it must lead

_MOST_OTHERS = 0.2  # of the texts may be in another language

_EMOJI = re.compile("[\U0001f300-\U0001faff\u2600-\u27bf]")
_WORD = re.compile(r"[^\W\d_]+")

LANGUAGES: dict[str, frozenset[str]] = {
    name: frozenset(words.split())
    for name, words in {
        "english": "the of and to in is was it for that with on as be this are have not but you "
        "i my they at from or had we so very all there would when what which been "
        "were",
        "german": "der die das und ist nicht ich zu den ein eine mit sich auf es dem auch war "
        "wie sehr im für von wir aber sind nur noch bei wird werden oder hat haben "
        "einen nach sie kein",
        "dutch": "de het een en van is niet ik dat te op zijn voor met die er aan ook als maar "
        "om naar ze dit wel nog bij heel geen heeft wat mijn werd hebben wordt veel "
        "zeer",
        "french": "le la les de des et est un une pas je que qui dans pour ce il du sur plus ne "
        "avec mais très sont été en au vous nous c j n qu à elle on bien tout aux",
        "spanish": "el la los las de y que en es no un una por con para se lo muy me pero su más "
        "al del está como mi fue ha todo cuando son ya bien hay sin también",
        "portuguese": "o a os as de e que em é não um uma por com para se muito me mas seu mais ao "
        "do da no na está como meu foi tem tudo quando são já bem sem também dos das",
        "italian": "il la le lo gli di e che in è non un una per con si molto mi ma suo più al "
        "del della sono come mio ho ha tutto quando già bene anche i dei nel alla "
        "questo da",
        "catalan": "el la els les de i que en és no un una per amb es molt em però seu més al "
        "del està com meu va ha tot quan són ja bé sense també dels perquè aquest hi",
        "danish": "og i at det er en til af på med ikke der jeg som for de har et den var meget "
        "mig også efter blev hvad nogle kun skal men så om hvor fra sig ud nu være",
        "norwegian": "og i å det er en til av på med ikke jeg som for de har et den var veldig meg "
        "også etter ble hva noen bare skal men så om hvor fra seg ut nå være mye",
        "swedish": "och i att det är en till av på med inte jag som för de har ett den var "
        "mycket mig också efter blev vad några bara ska men så om var från sig ut nu "
        "vara",
        "finnish": "ja on ei se että oli hän en ole mutta kun niin myös kuin joka tämä sen ovat "
        "jos vain mitä minä mun olen hyvin todella vielä tai jo sitä nyt kanssa "
        "kaikki",
        "hungarian": "a az és hogy nem is egy van volt ez meg de ha csak mint már nagyon el még "
        "vagy amely sem ezt kell lehet azt után minden ki be én mert nekem lett",
        "romanian": "și si de în la cu nu este a o un pe că să din mai care am pentru foarte sunt "
        "dar ce au fost al ale lui sau fi era prin dupa după fără",
        "turkish": "ve bir bu çok da de için ile ama o ne daha var gibi kadar değil ben olarak "
        "her sonra mi en olan yok ya hiç iyi oldu şey bana olduğu",
        "russian": "и в не на что я с он как это по но они мы к у так за из же от бы очень для "
        "вы все был была было то есть только мне меня его",
    }.items()
}

_COMMON = frozenset[str]().union(*LANGUAGES.values())


def language_of(texts: Iterable[str]) -> str | None:
    """Language of most of the texts, by the name of its stemmer; None if that is unsure.

    The share of words that are among a language's commonest ones is compared between languages. Few
    words, two languages side by side and languages that are not known give None.

    Parameters
    ----------
    texts
        Some of them are enough.

    Examples
    --------
    >>> language_of(["Das Gerät ist sehr gut, aber der Akku hält nicht lange."] * 3)
    'german'
    >>> language_of(["ok", "7/10", "Samsung"]) is None
    True
    """
    speak = {word: [name for name in LANGUAGES if word in LANGUAGES[name]] for word in _COMMON}
    total, n_words = Counter(dict.fromkeys(LANGUAGES, 0)), 0
    by_text: list[Counter[str]] = []
    for text in texts:
        words = _WORD.findall(text.lower())
        n_words += len(words)
        by_text.append(Counter(name for word in words for name in speak.get(word, ())))
        total.update(by_text[-1])
    (best, hits), (_, next_hits) = total.most_common(2)
    enough = hits >= _LEAST_SHARE * n_words
    clear = hits - next_hits >= max(_LEAST_HITS, _LEAST_LEAD * hits)
    # Kindred languages share words; a text of another has hardly any of this one.
    others = sum(2 * found[best] < max(found.values(), default=0) for found in by_text)
    return best if enough and clear and others <= _MOST_OTHERS * len(by_text) else None


def most_have_emoji(texts: Sequence[str]) -> bool:
    """Whether most texts have an emoji, so that these should count as words.

    Examples
    --------
    >>> most_have_emoji(["fine 😀", "no"]), most_have_emoji(["fine 😀", "bad 😡", "no"])
    (False, True)
    """
    return 2 * sum(_EMOJI.search(text) is not None for text in texts) > len(texts)
