{{/* What a schema cannot say: values that need each other. Each failure is a sentence with the next step. */}}
{{- define "minifleet.checkValues" -}}
{{- $fleets := (include "minifleet.fleets" . | fromYaml).fleets -}}
{{- $names := dict -}}
{{- range $fleets -}}
{{- if hasKey $names .name }}{{ fail (printf "%s and %s are both called %s: give one of them another name" (get $names .name) .path .name) }}{{ end -}}
{{- $_ := set $names .name .path -}}
{{- if and .autoscaling.enabled (or (lt (int .autoscaling.maxSize) (int .autoscaling.minSize)) (eq (int .autoscaling.maxSize) 0)) }}{{ fail (printf "%s.autoscaling.maxSize is %d: it must be at least 1, and not less than minSize" .path (int .autoscaling.maxSize)) }}{{ end -}}
{{- if and .ghActionsRunner.enabled (not .ghActionsRunner.ghOrg) }}{{ fail (printf "%s.ghActionsRunner.ghOrg is empty: name the GitHub organisation its runners register with" .path) }}{{ end -}}
{{- end -}}
{{- if $fleets -}}
{{- $first := (first $fleets).path -}}
{{- if not .Values.cluster.controlPlaneEndpoint.host }}{{ fail (printf "%s is enabled, and cluster.controlPlaneEndpoint.host is empty: set it to an address of the API server that the Macs reach" $first) }}{{ end -}}
{{- if not (or .Values.scaleway.enabled .Values.inventory.hosts) }}{{ fail (printf "%s is enabled, and no Mac can come from anywhere: set scaleway.enabled and its secret, or list Macs in inventory.hosts" $first) }}{{ end -}}
{{- end -}}
{{- range $name, $pool := .Values.runnerPools.pools -}}
{{- if not $.Values.runners.enabled }}{{ fail (printf "runnerPools.pools.%s would be looked after by nobody: set runners.enabled" $name) }}{{ end -}}
{{- if not (or $pool.forge $.Values.runnerPools.account) }}{{ fail (printf "runnerPools.pools.%s has no organisation: set runnerPools.account, or forge of the pool" $name) }}{{ end -}}
{{- end -}}
{{- end -}}

{{/* What the cluster lacks, where there is one to ask: `helm template` and `helm lint` have none. */}}
{{- define "minifleet.checkCluster" -}}
{{- if lookup "v1" "Namespace" "" "kube-system" -}}
{{- $has := .Capabilities.APIVersions -}}
{{- if not ($has.Has "cluster.x-k8s.io/v1beta2/MachineDeployment") }}{{ fail "Cluster API is not installed, or older than v1.11: run clusterctl init" }}{{ end -}}
{{- $crd := lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" "hostclaims.infrastructure.cluster.x-k8s.io" -}}
{{- if not $crd }}{{ fail (printf "the kinds of minifleet are not installed: run helm upgrade --install minifleet-crds with charts/minifleet-crds %s first" .Chart.Version) }}{{ end -}}
{{- $version := get ($crd.metadata.annotations | default dict) "minifleet.dev/chart-version" -}}
{{- if and $version (semverCompare (printf "<%s" .Chart.Version) $version) }}{{ fail (printf "the kinds of minifleet are of version %s, and this chart is %s: run helm upgrade minifleet-crds with charts/minifleet-crds %s first" $version .Chart.Version .Chart.Version) }}{{ end -}}
{{- if and .Values.monitoring.enabled (not ($has.Has "monitoring.coreos.com/v1/PrometheusRule")) }}{{ fail "monitoring.enabled is set, and the Prometheus Operator’s kinds are not installed: install it first, or unset it" }}{{ end -}}
{{- if and (include "minifleet.usesExternalSecrets" .) (not ($has.Has "external-secrets.io/v1/ExternalSecret")) }}{{ fail "a secret has source: external, and the External Secrets Operator’s kinds (v1) are not installed: install it first, or choose another source" }}{{ end -}}
{{- include "minifleet.checkLeftBehind" . -}}
{{- end -}}
{{- end -}}

{{/* Fleets and pools are kept when they leave the values: nobody may lose sight of one. */}}
{{- define "minifleet.checkLeftBehind" -}}
{{- $names := list -}}
{{- range (include "minifleet.fleets" . | fromYaml).fleets }}{{ $names = append $names .name }}{{ end -}}
{{- range (lookup "cluster.x-k8s.io/v1beta2" "MachineDeployment" .Release.Namespace "").items -}}
{{- $ours := eq (get (.metadata.labels | default dict) "app.kubernetes.io/instance") $.Release.Name -}}
{{- if and $ours (not (has .metadata.name $names)) (or .spec.replicas (.status | default dict).replicas) }}{{ fail (printf "fleet %s has Macs and is in the values no more: set its replicas to 0, wait until they are given back, then take it out; or run kubectl delete -n %s machinedeployment %s" .metadata.name $.Release.Namespace .metadata.name) }}{{ end -}}
{{- end -}}
{{- if .Capabilities.APIVersions.Has "tuist.dev/v1alpha1/RunnerPool" -}}
{{- range (lookup "tuist.dev/v1alpha1" "RunnerPool" .Values.runnerPools.namespace "").items -}}
{{- $ours := eq (get (.metadata.labels | default dict) "app.kubernetes.io/instance") $.Release.Name -}}
{{- if and $ours (not .metadata.deletionTimestamp) (not (hasKey $.Values.runnerPools.pools .metadata.name)) }}{{ fail (printf "pool %s is in the values no more: run kubectl delete -n %s runnerpool %s, which waits for its jobs, and upgrade then" .metadata.name $.Values.runnerPools.namespace .metadata.name) }}{{ end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "minifleet.usesExternalSecrets" -}}
{{- if and .Values.scaleway.enabled (eq .Values.scaleway.secret.source "external") }}yes{{ end -}}
{{- if eq .Values.cluster.kubeconfig.source "external" }}yes{{ end -}}
{{- if and .Values.runnerPools.pools (eq .Values.runnerPools.githubApp.source "external") }}yes{{ end -}}
{{- range (include "minifleet.fleets" . | fromYaml).fleets -}}
{{- if and .ghActionsRunner.enabled (eq .ghActionsRunner.githubApp.source "external") }}yes{{ end -}}
{{- end -}}
{{- end -}}
