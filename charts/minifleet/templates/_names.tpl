{{/* Names start with the release name, which is enough for a release named minifleet. */}}
{{- define "minifleet.fullname" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "minifleet.clusterName" -}}
{{- .Values.cluster.name | default (include "minifleet.fullname" .) -}}
{{- end -}}

{{- define "minifleet.noBootstrapData" -}}
{{- printf "%s-no-bootstrap-data" (include "minifleet.clusterName" .) -}}
{{- end -}}

{{- define "minifleet.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/part-of: minifleet
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{/* Selector labels of one program: {root, name}. */}}
{{- define "minifleet.selector" -}}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- end -}}

{{/* Keeps objects that Macs or jobs depend on: on uninstall, Helm would delete them after the programs that remove them in order. */}}
{{- define "minifleet.kept" -}}
helm.sh/resource-policy: keep
{{- end -}}
