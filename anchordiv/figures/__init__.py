"""Pure drawing: arrays in, plotly figures out; knows neither Streamlit nor collections."""

from anchordiv.figures.map import MapGroups as MapGroups
from anchordiv.figures.map import map_figure as map_figure
from anchordiv.figures.palette import blend as blend
from anchordiv.figures.palette import group_colour as group_colour
