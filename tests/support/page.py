"""A page, taken apart."""

from html.parser import HTMLParser


class Page(HTMLParser):
    """Elements of a page with their attributes and the text right inside them."""

    def __init__(self, text):
        super().__init__()
        self.elements = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append([tag, dict(attrs), ""])

    def handle_endtag(self, tag):
        self.elements.append([None, {}, ""])  # what follows is not inside it

    def handle_data(self, data):
        if self.elements:
            self.elements[-1][2] += data

    def all(self, tag):
        return [(attributes, text) for name, attributes, text in self.elements if name == tag]
