"""The Streamlit side of the house: session, cached resources, own elements, controls and views."""
