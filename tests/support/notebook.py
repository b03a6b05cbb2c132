"""The walk-through as a notebook, executed by Jupyter. To write it anew: python -m tests.support.notebook"""

import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SCRIPT, NOTEBOOK = EXAMPLES / "walk_through.py", EXAMPLES / "walk_through.ipynb"


def cells():
    """The cells of the script as kind and text: a line that begins with # %% begins one."""
    parts = re.split(r"^# %%(.*)\n", SCRIPT.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return [
        ("markdown", re.sub(r"^# ?", "", text.strip(), flags=re.MULTILINE))
        if "markdown" in mark
        else ("code", text.strip())
        for mark, text in zip(parts[::2], parts[1::2], strict=True)
    ]


def executed():
    """The notebook with what its cells give, in a folder of its own that is removed."""
    # only here, since tests that need `cells` alone also run where no Jupyter is installed
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.v4.new_notebook(metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}})
    notebook.metadata["language_info"] = {"name": "python"}
    for number, (kind, text) in enumerate(cells(), 1):
        new = nbformat.v4.new_markdown_cell if kind == "markdown" else nbformat.v4.new_code_cell
        notebook.cells.append(new(text, id=f"cell-{number}"))
    language = dict(notebook.metadata["language_info"])
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"IPYTHONDIR": folder, "JUPYTER_CONFIG_DIR": folder}
        shutil.copytree(EXAMPLES / "clinic", Path(folder) / "clinic")
        NotebookClient(notebook, record_timing=False, resources={"metadata": {"path": folder}}).execute()
    notebook.metadata["language_info"] = language
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = joined(cell.outputs)
    return notebook


def joined(outputs):
    """Outputs in which what was printed in one go is one: Jupyter cuts it by the clock."""
    whole = []
    for output in outputs:
        if whole and "name" in output and whole[-1].get("name") == output.name:
            whole[-1].text += output.text
        else:
            whole.append(output)
    return whole


if __name__ == "__main__":
    import nbformat

    nbformat.write(executed(), sys.argv[1] if len(sys.argv) > 1 else NOTEBOOK)
