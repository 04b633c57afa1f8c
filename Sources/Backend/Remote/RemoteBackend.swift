internal import HTTPClient
