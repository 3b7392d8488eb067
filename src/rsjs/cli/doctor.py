def doctor() -> None:
    """Example"""
