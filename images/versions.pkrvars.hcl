# Downloads of every image, with version and checksum. An upgrade changes only this file.
actions_runner = {
  version = "2.336.0"
  sha256  = "8e8839c49b7060b6b2154f4931f815df330c27f167d53ef2239ee3dfce28b079"
}
guest_agent = {
  version = "0.15.0"
  sha256  = "eb47f402f18e742a8ea96344115ca776179f9c4c67494bc0c46a10a68db280b7"
}
