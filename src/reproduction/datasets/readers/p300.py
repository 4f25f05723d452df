"""P300 epochs: one feature vector a flash, from the runs of BCI Competition II, data set IIb.

A run is a continuous recording of 64 channels at 240 Hz while the rows and columns of a 6 x 6 letter matrix
flash. ``StimulusType`` is 1 during a flash of the row or column that holds the wanted letter. The choices
below are ours (the paper states only 310 = 31 x 10 features), and a note beside the results says so.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from reproduction.core.errors import DataError
from reproduction.datasets.table import Table

if TYPE_CHECKING:
    from reproduction.datasets.specs import DataSet

SAMPLING_RATE_HZ = 240  # Hz
EPOCH_SAMPLES = 160  # samples, 667 ms from the onset of the flash
DECIMATION_FACTOR = 16  # every 16th sample is kept: 10 a channel, at 15 Hz
PASS_BAND_HZ = (0.5, 7.0)  # Hz; the upper end lies below the 7.5 Hz that 15 Hz can represent
FILTER_ORDER = 4  # of the Butterworth filter, which runs forwards and backwards and so shifts nothing

# The channels of the recording, in its order (extended 10-20 system, 64 electrodes, as BCI2000 numbers them).
# fmt: off
CHANNELS = (
    "FC5", "FC3", "FC1", "FCz", "FC2", "FC4", "FC6", "C5", "C3", "C1", "Cz", "C2", "C4", "C6", "CP5", "CP3",
    "CP1", "CPz", "CP2", "CP4", "CP6", "Fp1", "Fpz", "Fp2", "AF7", "AF3", "AFz", "AF4", "AF8", "F7", "F5",
    "F3", "F1", "Fz", "F2", "F4", "F6", "F8", "FT7", "FT8", "T7", "T8", "T9", "T10", "TP7", "TP8", "P7", "P5",
    "P3", "P1", "Pz", "P2", "P4", "P6", "P8", "PO7", "PO3", "POz", "PO4", "PO8", "O1", "Oz", "O2", "Iz",
)
# 31 of them: midline and both sides from the frontal to the occipital row, dense where the P300 is largest.
SELECTED_CHANNELS = (
    "Fz", "FC3", "FC1", "FCz", "FC2", "FC4", "C3", "C1", "Cz", "C2", "C4", "CP3", "CP1", "CPz", "CP2", "CP4",
    "P7", "P5", "P3", "P1", "Pz", "P2", "P4", "P6", "P8", "PO7", "POz", "PO8", "O1", "Oz", "O2",
)
# fmt: on


def read_p300(spec: DataSet, paths: dict[str, Path]) -> Table:
    """Read all runs of the registry, one row a flash.

    Parameters
    ----------
    spec : DataSet
    paths : dict of str to Path
        Local copy of each run, a .mat file.

    Returns
    -------
    Table
        X of shape (flashes, 310), channel by channel, ten samples each; labels "1" (target) and "0".

    Raises
    ------
    DataError
        A file is not a run of the P300 speller.
    """
    import scipy.io

    epochs, targets = [], []
    for file in spec.files:
        try:
            run = scipy.io.loadmat(paths[file.name], variable_names=["signal", "Flashing", "StimulusType"])
            signal, flashing, kind = run["signal"], run["Flashing"].ravel(), run["StimulusType"].ravel()
            _check_run(signal, flashing, kind)
        except Exception as error:  # loadmat raises some ten kinds on a file that is damaged
            if isinstance(error, OSError) and error.errno is not None:
                raise
            message = " ".join(str(error).split()).rstrip(".") or type(error).__name__
            raise DataError(
                f"{file.name} is not a run of the P300 speller (signal, Flashing, StimulusType): {message}; "
                "take the official file."
            ) from error
        X, onsets = extract_epochs(signal, flashing, file.name)
        epochs.append(X)
        targets.append(kind[onsets].astype(int))
    return Table(np.vstack(epochs), np.concatenate(targets).astype(str))


def _check_run(signal: np.ndarray, flashing: np.ndarray, kind: np.ndarray) -> None:
    """Refuse a file that is no recording of finite numbers with a flag for each sample."""
    for name, values in (("signal", signal), ("Flashing", flashing), ("StimulusType", kind)):
        if not isinstance(values, np.ndarray) or values.dtype.kind not in "iufb":
            raise ValueError(f"{name} holds no numbers")
        if len(wrong := np.argwhere(~np.isfinite(values))):
            raise ValueError(f"{name} holds {values[tuple(wrong[0])]} at {tuple((wrong[0] + 1).tolist())}")
    for name, flags in (("Flashing", flashing), ("StimulusType", kind)):
        if len(flags) != len(signal) or not np.isin(flags, (0, 1)).all():
            raise ValueError(f"{name} is not 0 or 1 for each of {len(signal)} samples")


def extract_epochs(
    signal: np.ndarray, flashing: np.ndarray, name: str = "the run"
) -> tuple[np.ndarray, np.ndarray]:
    """Cut a recording into band-passed, decimated windows.

    Parameters
    ----------
    signal : ndarray, shape (samples, 64)
    flashing : ndarray of 0 and 1, shape (samples,)
        1 while a row or column is lit.
    name : str
        For messages.

    Returns
    -------
    X : ndarray, shape (flashes, 31 * 10)
    onsets : ndarray of int, shape (flashes,)
        First sample of each flash.

    Raises
    ------
    DataError
        Another number of channels, or the recording ends within a window.
    """
    from scipy.signal import butter, sosfiltfilt

    if signal.ndim != 2 or signal.shape[1] != len(CHANNELS):
        raise DataError(f"{name} has shape {signal.shape} where {len(CHANNELS)} channels are expected.")
    # 1. a flash begins where the flag rises
    onsets = np.flatnonzero(np.diff(np.asarray(flashing, dtype=int), prepend=0) == 1)
    if len(onsets) and onsets[-1] + EPOCH_SAMPLES > len(signal):
        raise DataError(
            f"{name} ends {len(signal) - onsets[-1]} samples after its last flash; {EPOCH_SAMPLES} are "
            "needed."
        )
    # 2. band-pass the selected channels, over the whole recording
    selected = signal[:, [CHANNELS.index(c) for c in SELECTED_CHANNELS]].astype(np.float64)
    band_pass = butter(FILTER_ORDER, PASS_BAND_HZ, btype="bandpass", fs=SAMPLING_RATE_HZ, output="sos")
    filtered = sosfiltfilt(band_pass, selected, axis=0)
    # 3. cut a window after each onset and keep every 16th sample
    samples = onsets[:, None] + np.arange(0, EPOCH_SAMPLES, DECIMATION_FACTOR)  # (flashes, 10)
    return filtered[samples].transpose(0, 2, 1).reshape(len(onsets), -1), onsets
