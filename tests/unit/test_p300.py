"""P300 epochs: onsets, window, filter, channels."""

import numpy as np
import pytest
import scipy.io
from data_helpers import make_spec

from reproduction.core.errors import DataError
from reproduction.datasets.readers import p300 as epochs

FLASH, PAUSE = 24, 18  # samples, as in the recordings


def recording(n_flashes=6, tail=200, seed=0):
    """Noise, with the flags of flashes that start at 240, 282, ..."""
    onsets = 240 + (FLASH + PAUSE) * np.arange(n_flashes)
    flashing = np.zeros(onsets[-1] + tail, dtype=np.uint8)
    for onset in onsets:
        flashing[onset : onset + FLASH] = 1
    signal = np.random.default_rng(seed).integers(-3000, 3000, size=(len(flashing), 64)).astype(np.int16)
    return signal, flashing, onsets


def tone(frequency, n=2400):
    return np.tile(np.sin(2 * np.pi * frequency * np.arange(n) / epochs.SAMPLING_RATE_HZ)[:, None], 64)


def test_declared_channels_and_samples():
    assert len(epochs.CHANNELS) == len(set(epochs.CHANNELS)) == 64
    assert len(epochs.SELECTED_CHANNELS) == len(set(epochs.SELECTED_CHANNELS)) == 31 and set(
        epochs.SELECTED_CHANNELS
    ) <= set(epochs.CHANNELS)
    assert len(range(0, epochs.EPOCH_SAMPLES, epochs.DECIMATION_FACTOR)) == 10
    assert epochs.PASS_BAND_HZ[1] < epochs.SAMPLING_RATE_HZ / epochs.DECIMATION_FACTOR / 2, "no aliasing"


def test_one_row_a_flash():
    signal, flashing, onsets = recording()
    X, labels = epochs.extract_epochs(signal, flashing)
    assert X.shape == (6, 310)
    np.testing.assert_array_equal(labels, onsets)


def test_features_are_channel_by_channel():
    """Only Cz carries a signal, so only its ten features differ from zero."""
    signal, flashing, _ = recording()
    only = np.zeros_like(signal)
    only[:, epochs.CHANNELS.index("Cz")] = signal[:, 0]
    X, _ = epochs.extract_epochs(only, flashing)
    used = np.flatnonzero(np.abs(X).max(axis=0)) // 10
    assert set(used) == {epochs.SELECTED_CHANNELS.index("Cz")}


def test_a_slow_wave_passes_without_delay_and_the_rest_does_not():
    flashing = np.zeros(2400, dtype=int)
    flashing[1200:1224] = 1
    expected = np.sin(2 * np.pi * 3 * np.arange(1200, 1360, 16) / epochs.SAMPLING_RATE_HZ)
    X, _ = epochs.extract_epochs(tone(3), flashing)
    np.testing.assert_allclose(X.reshape(31, 10)[7], expected, atol=0.02)
    for frequency in (0.1, 20, 60):
        X, _ = epochs.extract_epochs(tone(frequency), flashing)
        assert np.abs(X).max() < 0.05
    X, _ = epochs.extract_epochs(np.full((2400, 64), 5000.0), flashing)
    assert np.abs(X).max() < 1e-6, "an offset of the amplifier is removed"


@pytest.mark.parametrize(
    ("tail", "channels", "message"),
    [(100, 64, "ends 100 samples after its last flash; 160 are needed"), (200, 32, "32.* where 64 channels")],
)
def test_recordings_that_are_refused(tail, channels, message):
    signal, flashing, _ = recording(tail=tail)
    with pytest.raises(DataError, match=f"run 1 .*{message}"):
        epochs.extract_epochs(signal[:, :channels], flashing, "run 1")


def write_run(path, **changes):
    signal, flashing, _ = recording()
    target = np.zeros_like(flashing)
    target[282 : 282 + FLASH] = 1
    run = {"signal": signal, "Flashing": flashing[:, None], "StimulusType": target[:, None]} | changes
    scipy.io.savemat(path, {key: value for key, value in run.items() if value is not None})
    return {path.name: path}


def test_runs_are_stacked_with_their_targets(tmp_path):
    spec = make_spec(files=[{"name": "a.mat"}, {"name": "b.mat"}], reader="p300", options={})
    table = epochs.read_p300(spec, write_run(tmp_path / "a.mat") | write_run(tmp_path / "b.mat"))
    assert table.X.shape == (12, 310)
    assert table.labels.tolist() == ["0", "1", "0", "0", "0", "0"] * 2


def test_a_file_without_the_fields_and_nan_in_the_signal(tmp_path):
    signal = recording()[0].astype(float)
    signal[7, 3] = np.nan
    spec = make_spec(files=[{"name": "a.mat"}], reader="p300", options={})
    for wrong, message in (
        ({"Flashing": None}, "a.mat is not a run of the P300 speller .*Flashing"),
        ({"signal": signal}, r"a.mat .*: signal holds nan at \(8, 4\)"),
    ):
        with pytest.raises(DataError, match=message):
            epochs.read_p300(spec, write_run(tmp_path / "a.mat", **wrong))
