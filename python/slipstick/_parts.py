"""What studies made of Python objects consist of."""
class Part:
    def to_ron(self) -> str:
        return ""
