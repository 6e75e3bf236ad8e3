// Whose kinds the chart can make objects of: only their CRDs are taken, nothing is built.
module minifleet.dev/local-cluster/operators

go 1.26.0

require (
	github.com/external-secrets/external-secrets v1.3.2
	github.com/prometheus-operator/prometheus-operator v0.85.0
)
