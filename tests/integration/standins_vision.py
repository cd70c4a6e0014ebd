"""Stand-ins for models of vision and robotics: path to source. Results depend on the first pixel."""

from __future__ import annotations

from standins_language import ANYTHING, TORCH

DETECTION = {
    **TORCH,
    "ultralytics/__init__.py": """
from pathlib import Path
from types import SimpleNamespace

import numpy
from PIL import Image


class Tensor:
    def __init__(self, array):
        self.array = array

    def cpu(self):
        return self

    def numpy(self):
        return self.array


class Boxes:
    def __init__(self, count):
        rows = [[10.0 * n, 10.0 * n, 100.0 + n, 100.0 + n, 0.9 - n / 10, 0.0] for n in range(count)]
        rows = numpy.array(rows).reshape(-1, 6)
        self.count, self.xyxy = count, Tensor(rows[:, :4])
        self.conf, self.cls = Tensor(rows[:, 4]), Tensor(rows[:, 5])

    def __len__(self):
        return self.count


class YOLO:
    def __init__(self, path):
        pass

    def train(self, project=".", name="train", **options):
        folder = Path(project) / name / "weights"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "best.pt").write_text("weights")

    def predict(self, source, **options):
        return [SimpleNamespace(boxes=Boxes(int(Image.open(path).getpixel((0, 0))))) for path in source]
""",
    "ultralytics/utils/__init__.py": "import logging\n\nLOGGER = logging.getLogger('ultralytics')\n",
    "ultralytics/utils/metrics.py": """
import numpy
from types import SimpleNamespace


def box_iou(found, wanted):
    a, b = found.array[:, None], wanted.array[None]
    common = numpy.minimum(a[..., 2:], b[..., 2:]) - numpy.maximum(a[..., :2], b[..., :2])
    common = numpy.clip(common, 0, None).prod(2)
    areas = [(each[..., 2:] - each[..., :2]).prod(2) for each in (a, b)]
    ratio = common / (areas[0] + areas[1] - common)
    return SimpleNamespace(numpy=lambda: ratio)


def ap_per_class(right, confidence, found, wanted):
    precision = right.sum() / max(len(wanted), 1)
    return (0, 0, 0, 0, 0, numpy.array([[precision]]))
""",
}
ASSEMBLY = {
    **TORCH,
    "ultralytics/__init__.py": ANYTHING,
    "cv2.py": f"""{ANYTHING}
import numpy
from PIL import Image

numpy.random.seed(7)  # the example draws forces without a seed of its own


def imread(path, *flags):
    return numpy.array(Image.open(path).convert("RGB"))
""",
}

SEGMENTATION = {
    **TORCH,
    "cv2.py": """
import numpy

CV_64F = 6


def Sobel(mask, depth, dx, dy, ksize):
    return numpy.gradient(mask.astype(float), axis=1 if dx else 0)


def connectedComponents(mask):
    return 1 + int(mask.any()), mask
""",
    "dashscope.py": """
class Reply(dict):
    status_code = 200
    output = {"choices": [{"message": {"content": "person"}}]}


class MultiModalConversation:
    @staticmethod
    def call(**options):
        return Reply(output=Reply.output)
""",
    "transformers.py": """
from types import SimpleNamespace

import numpy


class Mask:
    def __init__(self, array):
        self.array = array

    def argmax(self, dim):
        return self

    squeeze = cpu = lambda self: self

    def numpy(self):
        return self.array


class SegformerImageProcessor:
    @classmethod
    def from_pretrained(cls, name):
        return cls()

    def __call__(self, images, return_tensors):
        return {"shade": images.getpixel((0, 0))[0]}


class SegformerForSemanticSegmentation:
    @classmethod
    def from_pretrained(cls, name, **options):
        return cls()

    def __call__(self, shade):
        return SimpleNamespace(logits=Mask(numpy.full((4, 4), 5 * shade)))
""",
}

_FPN = "FPN_TensorFlow"
FAULTS = {
    **{f"{_FPN}/{folder}/__init__.py": "" for folder in (
        *("help_utils", "data", "data/io", "libs", "libs/label_name_dict", "libs/configs", "libs/box_utils"),
        *("libs/fast_rcnn", "libs/networks", "libs/rpn"),
    )},
    f"{_FPN}/__init__.py": "",
    "cv2.py": """
import numpy
from PIL import Image


def imread(path):
    return numpy.array(Image.open(path).convert("RGB"))


def imwrite(path, image):
    open(path, "w").close()
""",
    "tensorflow/contrib/__init__.py": ANYTHING,
    "tensorflow/contrib/slim.py": ANYTHING,
    "tensorflow/__init__.py": f"""{ANYTHING}
import numpy


class Session(Anything):
    def run(self, fetches, feed_dict=None):
        if feed_dict is None:  # a step of training
            return [1, [b"image"], *[0.5] * 9] if isinstance(fetches, list) else None
        (image,) = feed_dict.values()
        count = int(image[0, 0, 0])
        boxes = [[5.0 * n, 5.0, 20.0 + 5 * n, 20.0] for n in range(count)]
        kinds = numpy.array([1 + n % 2 for n in range(count)])
        return numpy.zeros((1, 4, 4, 3)), numpy.array(boxes).reshape(-1, 4), numpy.linspace(0.9, 0.6, count), kinds


class Saver(Anything):
    def save(self, session, path):
        with open(path + ".index", "w") as file:
            file.write("weights")


class Train(Anything):
    Saver = Saver


train = Train()
""",
    f"{_FPN}/help_utils/help_utils.py": "def draw_box_cv(image, **options):\n    return image\n",
    f"{_FPN}/help_utils/tools.py": """
import os

import numpy


def mkdir(path):
    os.makedirs(path, exist_ok=True)


def view_bar(*args):
    pass


def get_single_label_dict(found, wanted, label):
    boxes = {image: each["bbox"] for image, all_of in found.items() for each in all_of if each["name"] == label}
    return boxes, {image: [row for row in rows if row[4] == label] for image, rows in wanted.items()}


def single_label_eval(found, wanted, overlap, flag):
    total = sum(map(len, wanted.values()))
    count = sum(len(found.get(image, ())) for image in wanted)
    right = sum(
        any(abs(numpy.array(row[:4]) - box[:4]).max() < 1 for box in found.get(image, ()))
        for image, rows in wanted.items()
        for row in rows
    )
    return (*(numpy.array([right / all_of]) if all_of else numpy.array([]) for all_of in (total, count)), 0.0, total)
""",
    f"{_FPN}/data/io/image_preprocess.py": ANYTHING,
    f"{_FPN}/data/io/read_tfrecord.py": """
import os

from tensorflow import Anything


def next_batch_for_tasks(*args, **options):
    return [Anything() for _ in range(5)]


def convert_labels(paths):
    found = {}
    for path in paths:
        with open(path) as file:
            rows = [line.split() for line in file]
        image = os.path.basename(path).replace(".txt", ".png")
        found[f"b'{image}'"] = [[*map(float, row[:4]), row[4]] for row in rows]
    return found
""",
    f"{_FPN}/libs/label_name_dict/label_dict.py": "NAME_LABEL_MAP = {'back_ground': 0, 'open': 1, 'short': 2}\n",
    f"{_FPN}/libs/box_utils/show_box_in_tensor.py": ANYTHING,
    f"{_FPN}/libs/configs/cfgs.py": f"""{ANYTHING}
NET_NAME, DATASET_NAME, VERSION, MAX_ITERATION, LR = "net", "pcb", "v1", 5, 0.1
WEIGHT_DECAY = {{"net": 0.1}}
""",
    f"{_FPN}/libs/networks/network_factory.py": """
from types import SimpleNamespace

from tensorflow import Anything


def get_flags_byname(name):
    return SimpleNamespace(summary_path="summary")


def get_network_byname(**options):
    return Anything(), Anything()
""",
    f"{_FPN}/libs/rpn/build_rpn.py": """
from tensorflow import Anything


class RPN(Anything):
    def rpn_proposals(self):
        return Anything(), Anything()

    rpn_losses = rpn_proposals
""",
    f"{_FPN}/libs/fast_rcnn/build_fast_rcnn.py": """
from tensorflow import Anything


class FastRCNN(Anything):
    def fast_rcnn_predict(self):
        return Anything(), Anything(), Anything(), Anything()

    def fast_rcnn_loss(self):
        return Anything(), Anything()
""",
}  # fmt: skip

DRIVING = {
    "pykitti.py": """
import os
from datetime import datetime, timedelta
from types import SimpleNamespace

import numpy

numpy.random.seed(7)  # the example draws noise without a seed of its own


class raw:
    def __init__(self, root, date, drive):
        with open(os.path.join(root, date, f"{date}_drive_{drive}_sync", "frames.txt")) as file:
            frames = int(file.read())
        self.timestamps = [datetime(2011, 9, 26) + timedelta(seconds=n / 10) for n in range(frames)]
        self.oxts = [SimpleNamespace(packet=packet(n), T_w_imu=moved(n)) for n in range(frames)]

    def get_velo(self, number):
        return numpy.full((10, 4), float(number))


def packet(n):
    zeros = dict.fromkeys(("wy", "ay", "pitch", "vl", "vu"), 0.0)
    return SimpleNamespace(**zeros, wx=0.01 * n, wz=0.02, ax=0.1, az=9.8, roll=0.01 * n, yaw=0.05 * n, vf=1.0)


def moved(n):
    at = numpy.eye(4)
    at[:2, 3] = n, n / 2
    return at
""",
    "open3d.py": ANYTHING,
}

_LIBERO = "vla_component/experiments/robot/libero"
ROBOT = {
    **TORCH,
    **{f"{folder}/__init__.py": "" for folder in (
        "vla_component", "vla_component/vlaScripts", "vla_component/experiments", "vla_component/experiments/robot",
        _LIBERO,
    )},
    "vla_component/vlaScripts/finetune.py": """
class FinetuneConfig:
    def __init__(self, **options):
        vars(self).update(options)


def finetune(config):
    return str(config.run_root_dir)
""",
    f"{_LIBERO}/run_libero_eval.py": """
import functools
import json
import os


class GenerateConfig:
    def __init__(self, **options):
        vars(self).update(options)


def wrapped(config):
    os.makedirs(config.local_log_dir, exist_ok=True)
    path = os.path.join(config.local_log_dir, "results.jsonl")
    with open(path, "w") as file:
        for task in range(5):
            for episode in range(config.num_trials_per_task):
                row = {"Task": task, "episode": episode, "Success": (task + episode) % 3 == 0}
                file.write(json.dumps(row) + "\\n")
    return path


@functools.wraps(wrapped)
def eval_libero(config):
    return wrapped(config)
""",
}  # fmt: skip
