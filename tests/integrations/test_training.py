"""Callbacks for training, with the real packages; none of them needs a network."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import corefine
from corefine.integrations import training

KEY = {name: [[1, 2, 3], [4, 5]] for name in ("a", "b", "c")}
GOOD, BAD = [[1, 2, 3], [4, 5]], [[1, 2], [3, 4, 5]]


def response(good: int) -> dict[str, list[list[int]]]:
    """A response with this number of correct documents."""
    return {name: GOOD if place < good else BAD for place, name in enumerate(KEY)}


class Responses:
    """Responses of three epochs: the second is the best."""

    def __init__(self) -> None:
        self._left = [response(1), response(3), response(2)]

    def __call__(self, model: Any) -> dict[str, list[list[int]]]:
        assert model is not None
        return self._left.pop(0)


def f1_of(good: int) -> float:
    return corefine.score(KEY, response(good), "conll")["conll"].f1


def check_saved(folder: Path) -> None:
    """The results of three epochs are saved."""
    files = sorted(file.name for file in folder.glob("*.json"))
    assert len(files) == 3
    scores = [corefine.load_scores(folder / file)["conll"].f1 for file in files]
    assert scores == [f1_of(1), f1_of(3), f1_of(2)]


def test_evaluation(tmp_path):
    evaluation = training.Evaluation(KEY, Responses(), tmp_path, "conll,muc", seed=3)
    numbers, path = evaluation.evaluate("model", 1)
    assert path.name == "model-dev-e1-s3.json"
    assert numbers["conll_f1"] == f1_of(1)
    assert numbers["conll_f1_low"] <= numbers["conll_f1"] <= numbers["conll_f1_high"]
    assert {"muc_precision", "muc_recall", "muc_f1"} < numbers.keys()
    evaluation.evaluate("model", 2)
    assert sorted(path.name for path in tmp_path.iterdir()) == [path.name, "model-dev-e2-s3.json"]


@pytest.mark.slow
def test_trainer_keeps_the_best_checkpoint(tmp_path):
    torch: Any = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")

    class Model(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(1, 1)

        def forward(self, x: Any, labels: Any) -> dict[str, Any]:
            return {"loss": ((self.layer(x) - labels) ** 2).mean(), "logits": self.layer(x)}

    rows = [{"x": torch.tensor([1.0]), "labels": torch.tensor([1.0])}] * 4
    arguments = transformers.TrainingArguments(
        output_dir=str(tmp_path / "out"),
        num_train_epochs=3,
        eval_strategy="epoch",
        save_strategy="epoch",
        load_best_model_at_end=True,
        metric_for_best_model="conll_f1",
        greater_is_better=True,
        per_device_train_batch_size=4,
        report_to=[],
        use_cpu=True,
        disable_tqdm=True,
    )
    callback = training.transformers_callback(KEY, Responses(), tmp_path / "runs", "conll")
    trainer = transformers.Trainer(
        Model(), arguments, train_dataset=rows, eval_dataset=rows, callbacks=[callback]
    )
    trainer.train()
    assert trainer.state.best_metric == f1_of(3)
    assert trainer.state.best_model_checkpoint.endswith("checkpoint-2")
    check_saved(tmp_path / "runs")
    if any(name.startswith("tensorboard") for name in sys.modules):
        assert list((tmp_path / "runs").glob("events.out.tfevents.*"))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_lightning_keeps_the_best_checkpoint(tmp_path):
    torch: Any = pytest.importorskip("torch")
    lightning: Any = pytest.importorskip("lightning.pytorch")
    from lightning.pytorch.callbacks import ModelCheckpoint

    class Model(lightning.LightningModule):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(1, 1)

        def training_step(self, batch: Any, number: int) -> Any:
            return ((self.layer(batch) - 1) ** 2).mean()

        def validation_step(self, batch: Any, number: int) -> None:
            self.layer(batch)

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), 0.1)

    batches = torch.utils.data.DataLoader(torch.ones(4, 1), batch_size=4)
    best = ModelCheckpoint(tmp_path / "best", "{epoch}", monitor="conll_f1", mode="max")
    callback = training.lightning_callback(KEY, Responses(), tmp_path / "runs", "conll")
    trainer = lightning.Trainer(
        default_root_dir=tmp_path,
        max_epochs=3,
        callbacks=[callback, best],
        accelerator="cpu",
        logger=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(Model(), batches, batches)
    assert float(best.best_model_score) == pytest.approx(f1_of(3))
    assert Path(best.best_model_path).name == "epoch=1.ckpt"
    check_saved(tmp_path / "runs")


NUMBERS = {"conll_f1": 0.5, "conll_f1_low": 0.25}


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "model-dev-e1-s0.json"
    corefine.score(KEY, response(2), "conll").save(path)
    return path


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_logs_to_mlflow(saved, tmp_path, monkeypatch):
    mlflow = pytest.importorskip("mlflow")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri((tmp_path / "mlflow").as_uri())
    mlflow.set_experiment("coreference")
    with mlflow.start_run() as run:
        training.log_result(saved, NUMBERS, 7)
    found = mlflow.tracking.MlflowClient()
    assert found.get_run(run.info.run_id).data.metrics == NUMBERS
    assert [file.path for file in found.list_artifacts(run.info.run_id)] == [saved.name]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_logs_to_wandb_offline(saved, tmp_path):
    wandb = pytest.importorskip("wandb")
    with wandb.init(mode="offline", dir=str(tmp_path), project="coreference") as run:
        training.log_result(saved, NUMBERS, 7)
        assert run.summary["conll_f1"] == NUMBERS["conll_f1"]
    assert list((tmp_path / "wandb").glob("offline-run-*"))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_logs_to_trackio(saved, tmp_path, monkeypatch):
    monkeypatch.setenv("TRACKIO_DIR", str(tmp_path / "trackio"))
    trackio = pytest.importorskip("trackio")
    run = trackio.init(project="coreference", embed=False)
    training.log_result(saved, NUMBERS, 7)
    trackio.finish()
    (logged,) = trackio.SQLiteStorage.get_logs("coreference", run.name)
    assert {name: logged[name] for name in NUMBERS} == NUMBERS
    assert list((tmp_path / "trackio").rglob(saved.name))
