{{/* Names begin with that of the release; a release that is called minifleet needs no more. */}}
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

{{/* Of the Pods of one program: {root, name}. */}}
{{- define "minifleet.selector" -}}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- end -}}

{{/* Whatever a Mac or a job depends on outlives the release: Helm would delete it after the programs that take it down in order. */}}
{{- define "minifleet.kept" -}}
helm.sh/resource-policy: keep
{{- end -}}
