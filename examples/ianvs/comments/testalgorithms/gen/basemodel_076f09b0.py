"""Smart coding: comments: answered and judged by Benchwright, which has to be installed beside Ianvs."""

import os
from pathlib import Path

from sedna.common.class_factory import ClassFactory, ClassType

from benchwright.interop.ianvs.adapter import TrackModel

ROWS = Path(os.path.abspath(__file__)).parents[2] / "dataset" / "rows.jsonl"


@ClassFactory.register(ClassType.GENERAL, alias="gen")
class BaseModel:
    def __init__(self, model="gold:", judge="", **options):
        self._model = TrackModel("smartcoding-comments", ROWS, model=model, judge=judge, **options)

    def preprocess(self, **kwargs):
        return None

    def train(self, train_data, valid_data=None, **kwargs):
        return None

    def save(self, model_path=None):
        return model_path

    def load(self, model_url=None):
        return None

    def predict(self, data, input_shape=None, **kwargs):
        return self._model.predict(data)
