"""The public names, for type checkers; ``__init__.py`` says where each is at run time."""

from quantext import measures as measures
from quantext.experiments.search import SearchQ as SearchQ
from quantext.learners.forest import QuantificationForest as QuantificationForest
from quantext.learners.linear import LinearSVM as LinearSVM
from quantext.learners.losses import LOSSES as LOSSES
from quantext.learners.losses import ContingencyTable as ContingencyTable
from quantext.learners.losses import PrevalenceLoss as PrevalenceLoss
from quantext.learners.neighbours import WeightedNeighbours as WeightedNeighbours
from quantext.learners.structural import StructuralSVM as StructuralSVM
from quantext.models import distributed as distributed
from quantext.models.methods import METHODS as METHODS
from quantext.models.methods import Method as Method
from quantext.models.methods import method as method
from quantext.models.plan import Plan as Plan
from quantext.models.plan import plan as plan
from quantext.models.save import ModelFileError as ModelFileError
from quantext.models.save import load as load
from quantext.models.save import save as save
from quantext.models.textquantifier import TextQuantifier as TextQuantifier
from quantext.quantifiers import *  # noqa: F403 (whatever is listed there)
from quantext.reports.correct import correct as correct
from quantext.reports.correction import Correction as Correction
from quantext.reports.difference import Difference as Difference
from quantext.reports.estimate import estimate as estimate
from quantext.reports.result import Result as Result
from quantext.scores.training import TrainingScores as TrainingScores
from quantext.scores.training import score_training as score_training
from quantext.texts.corpus import Corpus as Corpus
from quantext.texts.corpus import VectorCorpus as VectorCorpus
from quantext.texts.reading import read_corpus as read_corpus
from quantext.vectors.disk import open_vectors as open_vectors
from quantext.vectors.disk import write_vectors as write_vectors
from quantext.vectors.ltc import LtcVectorizer as LtcVectorizer
from quantext.vectors.proxy import ProxyVectorizer as ProxyVectorizer
