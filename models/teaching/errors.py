"""What can go wrong in teaching."""


class TeachingError(Exception):
    """Photos or labels cannot be learnt from; the message is for the person who gave them."""

    def __init__(self, text: str, *, code: str = "", about: str = "") -> None:
        super().__init__(text)
        self.code = code
        """Key of the page's sentence, where no labels are written and no options typed; or none."""
        self.about = about
        """The name that the page's sentence is about, if any."""
