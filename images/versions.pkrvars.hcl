# Downloads of every image, with version and checksum. Written by npm run generate: actions_runner is RUNNER of
# packages/spec-file/default-fleet-file.ts, and guest_agent is GUEST_AGENT of scripts/image-versions.ts.
actions_runner = {
  version = "2.338.0"
  sha256  = "df4cebda25c86a886ed204e49fee63f5c2e7cec5f447b5c98440a826bbdf9df2"
}
guest_agent = {
  version = "0.15.0"
  sha256  = "eb47f402f18e742a8ea96344115ca776179f9c4c67494bc0c46a10a68db280b7"
}
