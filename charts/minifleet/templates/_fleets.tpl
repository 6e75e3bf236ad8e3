{{/* Enabled fleets with all their values and names: {fleets: […]} as YAML. */}}
{{- define "minifleet.fleets" -}}
{{- $given := list
  (dict "key" "macos-fleet" "path" "macosFleet" "fleet" .Values.macosFleet)
  (dict "key" "runners-fleet" "path" "runnersFleet" "fleet" .Values.runnersFleet)
  (dict "key" "builders-fleet" "path" "buildersFleet" "fleet" .Values.buildersFleet) -}}
{{- range $key, $fleet := .Values.fleets -}}
{{- $written := include "minifleet.over" (dict "defaults" (dict "enabled" true) "given" $fleet) | fromYaml -}}
{{- $given = append $given (dict "key" $key "path" (printf "fleets.%s" $key) "fleet" $written) -}}
{{- end -}}
{{- $fleets := list -}}
{{- range $given -}}
{{- $fleet := include "minifleet.over" (dict "defaults" $.Values.fleetDefaults "given" .fleet) | fromYaml -}}
{{- if $fleet.enabled -}}
{{- $_ := set $fleet "name" (include "minifleet.fleetName" (dict "root" $ "key" .key "fleet" $fleet)) -}}
{{- $_ := set $fleet "path" .path -}}
{{- $fleets = append $fleets $fleet -}}
{{- end -}}
{{- end -}}
{{- dict "fleets" $fleets | toYaml -}}
{{- end -}}

{{- define "minifleet.fleetName" -}}
{{- .fleet.name | default (printf "%s-%s" (include "minifleet.fullname" .root) .key | trunc 54 | trimSuffix "-") -}}
{{- end -}}

{{/* Default fleet of pools. */}}
{{- define "minifleet.runnersFleetName" -}}
{{- $fleet := include "minifleet.over" (dict "defaults" .Values.fleetDefaults "given" .Values.runnersFleet) | fromYaml -}}
{{- include "minifleet.fleetName" (dict "root" . "key" "runners-fleet" "fleet" $fleet) -}}
{{- end -}}

{{/* Properties of the Macs of a fleet. The name of the template is a hash of this text, so a change creates a new template. */}}
{{- define "minifleet.machineSpec" -}}
fleetName: {{ .name }}
{{- if eq .machine.kind "MacMachine" }}
pool: {{ .pool }}
{{- else }}
adoptPoolPrefix: {{ .adoptPoolPrefix | quote }}
zone: {{ .machine.zone }}
{{- end }}
{{- with .machine.type }}
type: {{ . }}
{{- end }}
{{- with .machine.os }}
os: {{ . }}
{{- end }}
hostRelease: {{ .machine.hostRelease }}
{{- with .machine.hostCPU }}
hostCPU: {{ int . }}
{{- end }}
{{- with .machine.hostMemoryMB }}
hostMemoryMB: {{ int . }}
{{- end }}
{{- if .ghActionsRunner.enabled }}
ghActionsRunner:
  ghOrg: {{ .ghActionsRunner.ghOrg }}
  ghRunnerLabels: {{ .ghActionsRunner.ghRunnerLabels | quote }}
  {{- with .ghActionsRunner.ghRunnerVersion }}
  ghRunnerVersion: {{ . | quote }}
  {{- end }}
  ghAppSecretName: {{ include "minifleet.builderSecretName" . }}
{{- end }}
{{- end -}}

{{- define "minifleet.templateName" -}}
{{- printf "%s-%s" .name (include "minifleet.machineSpec" . | sha256sum | trunc 8) -}}
{{- end -}}

{{- define "minifleet.builderSecretName" -}}
{{- .ghActionsRunner.githubApp.name | default (printf "%s-gh-app" .name) -}}
{{- end -}}
