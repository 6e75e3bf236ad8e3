{{/* Checks that a schema cannot express: values that depend on each other. Each error names the next action. */}}
{{- define "minifleet.checkValues" -}}
{{- $fleets := (include "minifleet.fleets" . | fromYaml).fleets -}}
{{- $names := dict -}}
{{- range $fleets -}}
{{- if hasKey $names .name }}{{ fail (printf "%s and %s have the same name %s: rename one of them" (get $names .name) .path .name) }}{{ end -}}
{{- $_ := set $names .name .path -}}
{{- if and .autoscaling.enabled (or (lt (int .autoscaling.maxSize) (int .autoscaling.minSize)) (eq (int .autoscaling.maxSize) 0)) }}{{ fail (printf "%s.autoscaling.maxSize is %d: it must be at least 1 and at least minSize" .path (int .autoscaling.maxSize)) }}{{ end -}}
{{- if and .ghActionsRunner.enabled (not .ghActionsRunner.ghOrg) }}{{ fail (printf "%s.ghActionsRunner.ghOrg is empty: set it to the GitHub organisation of the runners" .path) }}{{ end -}}
{{- end -}}
{{- $macs := list -}}
{{- range .Values.inventory.hosts -}}
{{- if has .name $macs }}{{ fail (printf "inventory.hosts has two Macs with the name %s: rename one of them" .name) }}{{ end -}}
{{- $macs = append $macs .name -}}
{{- end -}}
{{- if $fleets -}}
{{- $first := (first $fleets).path -}}
{{- if not .Values.cluster.controlPlaneEndpoint.host }}{{ fail (printf "%s is enabled, but cluster.controlPlaneEndpoint.host is empty: set it to an address of the API server that the Macs can reach" $first) }}{{ end -}}
{{- if not .Values.provider.hosts.agent }}{{ fail (printf "%s is enabled, but provider.hosts.agent is empty: set agent.binary, for example to the agent of the provider image, %s" $first "/usr/local/share/minifleet/tart-kubelet-darwin-arm64") }}{{ end -}}
{{- if not .Values.provider.hosts.tart }}{{ fail (printf "%s is enabled, but provider.hosts.tart is empty, so its Macs could not run VMs: set tart.version and tart.archive, or remove tart from your values to use the Tart of the provider image" $first) }}{{ end -}}
{{- range $fleets -}}
{{- if .ghActionsRunner.enabled }}{{ include "minifleet.checkBuilder" (dict "path" .path "builder" ($.Values.provider.hosts.builder | default dict)) }}{{ end -}}
{{- if and (eq .machine.kind "MacMachine") (not .pool) }}{{ fail (printf "%s.pool is empty: set it to the pool of the MacHosts that the fleet claims" .path) }}{{ end -}}
{{- if and (eq .machine.kind "ScalewayAppleSiliconMachine") (not $.Values.scaleway.enabled) }}{{ fail (printf "%s claims Macs from Scaleway, but scaleway.enabled is not set: set it and scaleway.secret, or set %s.machine.kind to MacMachine for Macs of inventory.hosts" .path .path) }}{{ end -}}
{{- end -}}
{{- end -}}
{{- if $fleets }}{{ include "minifleet.checkImages" . }}{{ end -}}
{{- range $name, $pool := .Values.runnerPools.pools -}}
{{- if not $.Values.runners.enabled }}{{ fail (printf "runnerPools.pools.%s needs the runner controller: set runners.enabled" $name) }}{{ end -}}
{{- if not (or $pool.forge $.Values.runnerPools.account) }}{{ fail (printf "runnerPools.pools.%s has no organisation: set runnerPools.account, or forge of the pool" $name) }}{{ end -}}
{{- end -}}
{{- end -}}

{{/* Checks what the Macs of a builder fleet get. Argument: path of the fleet, builder section of provider.hosts. */}}
{{- define "minifleet.checkBuilder" -}}
{{- $path := .path -}}
{{- $builder := .builder -}}
{{- range list "formulae" "xcode" "buildCache" "runner" -}}
{{- if not (get $builder .) }}{{ fail (printf "%s is enabled, but provider.hosts.builder.%s is empty, so its Macs could not become builders: remove it from your values to use the default, or set it as in docs/vm-image-builder.md" $path .) }}{{ end -}}
{{- end -}}
{{- if or (not (hasKey $builder "homebrewInstaller")) (kindIs "invalid" (index $builder "homebrewInstaller")) }}{{ fail (printf "%s is enabled, but provider.hosts.builder.homebrewInstaller is not set: Homebrew publishes no checksum of its install script, so build the provider image with a script that you have read (--homebrew-installer) and set /usr/local/share/minifleet/install-homebrew.sh, or set false if Homebrew is installed on every Mac" $path) }}{{ end -}}
{{- $xcode := ($builder.xcode.developerDirectory | default "") -}}
{{- if not (regexMatch "^/.+\\.app/Contents/Developer$" $xcode) }}{{ fail (printf "%s is enabled, but provider.hosts.builder.xcode.developerDirectory is %q: set the path of an Xcode, for example /Applications/Xcode.app/Contents/Developer" $path $xcode) }}{{ end -}}
{{- end -}}

{{/* Without a registry, a container runtime would pull the images from Docker Hub, where they do not exist. */}}
{{- define "minifleet.checkImages" -}}
{{- range $name := list "provider" "runners" -}}
{{- $program := get $.Values $name -}}
{{- $image := $program.image -}}
{{- if and $program.enabled (not $.Values.imageRegistry) (not (contains "/" $image.repository)) (ne $image.pullPolicy "Never") }}{{ fail (printf "imageRegistry is empty, and no public registry has the image %s: build and push the images (node scripts/build-containers.ts), then set imageRegistry, or set %s.image.repository to the full name" $image.repository $name) }}{{ end -}}
{{- end -}}
{{- end -}}

{{/* Checks of the cluster. `helm template` and `helm lint` have no cluster and skip them. */}}
{{- define "minifleet.checkCluster" -}}
{{- if lookup "v1" "Namespace" "" "kube-system" -}}
{{- $has := .Capabilities.APIVersions -}}
{{- if not ($has.Has "cluster.x-k8s.io/v1beta2/MachineDeployment") }}{{ fail "Cluster API is not installed, or older than v1.11: run clusterctl init --bootstrap - --control-plane -" }}{{ end -}}
{{- $crd := lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" "machosts.minifleet.dev" -}}
{{- if not $crd }}{{ fail (printf "the CRDs of minifleet are not installed: run helm upgrade --install minifleet-crds with charts/minifleet-crds %s first" .Chart.Version) }}{{ end -}}
{{- $version := get ($crd.metadata.annotations | default dict) "minifleet.dev/chart-version" -}}
{{- if and $version (semverCompare (printf "<%s" .Chart.Version) $version) }}{{ fail (printf "the CRDs of minifleet have version %s, but this chart has %s: run helm upgrade minifleet-crds with charts/minifleet-crds %s first" $version .Chart.Version .Chart.Version) }}{{ end -}}
{{- if and .Values.monitoring.enabled (not ($has.Has "monitoring.coreos.com/v1/PrometheusRule")) }}{{ fail "monitoring.enabled is set, but the CRDs of the Prometheus Operator are not installed: install it first, or unset monitoring.enabled" }}{{ end -}}
{{- if and (include "minifleet.usesExternalSecrets" .) (not ($has.Has "external-secrets.io/v1/ExternalSecret")) }}{{ fail "a secret has source: external, but the CRDs of the External Secrets Operator (v1) are not installed: install it first, or use another source" }}{{ end -}}
{{- include "minifleet.checkImages" . -}}
{{- include "minifleet.checkLeftBehind" . -}}
{{- end -}}
{{- end -}}

{{/* Helm keeps fleets, pools and Macs that are removed from the values, so this check makes sure that none is forgotten. */}}
{{- define "minifleet.checkLeftBehind" -}}
{{- $names := list -}}
{{- range (include "minifleet.fleets" . | fromYaml).fleets }}{{ $names = append $names .name }}{{ end -}}
{{- range (lookup "cluster.x-k8s.io/v1beta2" "MachineDeployment" .Release.Namespace "").items -}}
{{- $ours := eq (get (.metadata.labels | default dict) "app.kubernetes.io/instance") $.Release.Name -}}
{{- if and $ours (not (has .metadata.name $names)) (or .spec.replicas (.status | default dict).replicas) }}{{ fail (printf "fleet %s has Macs but is no longer in the values: set its replicas to 0, wait until they are returned, then remove it; or run kubectl delete -n %s machinedeployment %s" .metadata.name $.Release.Namespace .metadata.name) }}{{ end -}}
{{- end -}}
{{- $macs := list -}}
{{- range .Values.inventory.hosts }}{{ $macs = append $macs .name }}{{ end -}}
{{- if .Capabilities.APIVersions.Has "minifleet.dev/v1alpha1/MacHost" -}}
{{- range (lookup "minifleet.dev/v1alpha1" "MacHost" "" "").items -}}
{{- $labels := .metadata.labels | default dict -}}
{{- $annotations := .metadata.annotations | default dict -}}
{{- $ours := and (eq (get $labels "app.kubernetes.io/instance") $.Release.Name) (eq (get $annotations "meta.helm.sh/release-namespace") $.Release.Namespace) -}}
{{- if and $ours (not .metadata.deletionTimestamp) (not (has .metadata.name $macs)) }}{{ fail (printf "Mac %s is no longer in inventory.hosts: run kubectl delete machost %s, which waits until no machine holds it, then upgrade" .metadata.name .metadata.name) }}{{ end -}}
{{- end -}}
{{- end -}}
{{- if .Capabilities.APIVersions.Has "tuist.dev/v1alpha1/RunnerPool" -}}
{{- range (lookup "tuist.dev/v1alpha1" "RunnerPool" .Values.runnerPools.namespace "").items -}}
{{- $ours := eq (get (.metadata.labels | default dict) "app.kubernetes.io/instance") $.Release.Name -}}
{{- if and $ours (not .metadata.deletionTimestamp) (not (hasKey $.Values.runnerPools.pools .metadata.name)) }}{{ fail (printf "pool %s is no longer in the values: run kubectl delete -n %s runnerpool %s, which waits for its jobs, then upgrade" .metadata.name $.Values.runnerPools.namespace .metadata.name) }}{{ end -}}
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
