def compare() -> None:
    """Example"""
