"""Hints: what the name of a column says of what is in it, in a few languages."""

import re

__all__ = ["hints", "name_words"]

_WORDS = {
    role: frozenset(words.split())
    for role, words in {
        "label": "label labels class classes classification topic topics theme themes coded coding "
        "sentiment category categories tag tags mood stance intent emotion annotation annotated "
        "target verdict rating ratings stars polarity y truth true gold checked "
        "kategorie kategorien thema themen stimmung klasse catégorie categorie thème sujet "
        "etiqueta categoría categoria sentimiento sentimento tema temas argomento",
        "code": "code codes",  # of an answer, but also of a country
        "truth": "truth true gold checked human",
        "model": "model predicted prediction predictions predicts pred proxy llm gpt chatgpt auto "
        "automatic automated machine classifier guess guessed ai bot",
        "score": "score scores confidence probability prob posterior logit certainty",
        "text": "text texts answer answers comment comments review reviews body abstract tweet "
        "message content verbatim response responses feedback description complaint post document "
        "opinion antwort antworten kommentar kommentare texte réponse commentaire respuesta "
        "comentario texto risposta commento testo antwoord",
        "heading": "title subject headline address question url file path frage titel titre",
        "group": "country state region city town location place coord coordinates timezone zone "
        "language lang locale gender sex age user author name customer company brand product "
        "airline store shop branch channel source platform device version split fold batch wave "
        "year quarter hour department team agent market question zip postcode currency row index "
        "status land ort stadt filiale abteilung geschlecht sprache pays ville langue sexe país "
        "ciudad",
        "date": "date time day week month created timestamp when posted datum tag fecha jour",
        "count": "count counts number num n amount total likes retweets price cost",
        "id": "id ids uuid nr",
    }.items()
}


def name_words(name: str) -> frozenset[str]:
    """Words of a column's name, in lower case.

    Examples
    --------
    >>> sorted(name_words("airline_sentiment:confidence")), sorted(name_words("primaryTopic2"))
    (['airline', 'confidence', 'sentiment'], ['primary', 'topic'])
    """
    divided = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return frozenset(re.findall(r"[^\W\d_]+", divided.lower()))


def hints(name: str, *roles: str) -> bool:
    """Whether the name of a column has a word that speaks for one of the roles.

    Parameters
    ----------
    name
        Of the column.
    roles
        Such as label, text, group, date, model, score.

    Examples
    --------
    >>> hints("airline_sentiment", "label"), hints("retweets", "label", "text")
    (True, False)
    """
    words = name_words(name)
    return any(words & _WORDS[role] for role in roles)
