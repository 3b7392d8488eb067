def demo() -> None:
    """Example"""
