{{/* A Secret according to its `source`: {root, path, secret, name, namespace, early}. Nothing for `existing`. */}}
{{- define "minifleet.secret" -}}
{{- if eq .secret.source "plain" }}
{{- range $key, $value := .secret.plain }}
{{- if not $value }}{{ fail (printf "%s.plain.%s is empty: set it, or set %s.source to existing and create the Secret %s/%s yourself" $.path $key $.path $.namespace $.name) }}{{ end }}
{{- end }}
---
apiVersion: v1
kind: Secret
metadata:
  name: {{ .name }}
  namespace: {{ .namespace }}
  labels:
    {{- include "minifleet.labels" .root | nindent 4 }}
type: Opaque
stringData:
  {{- toYaml .secret.plain | nindent 2 }}
{{- else if eq .secret.source "external" }}
{{- $data := list }}
{{- range $key, $field := .secret.external.fields }}
{{- $data = append $data (dict "secretKey" $key "remoteRef" (dict "key" $.secret.external.item "property" $field)) }}
{{- end }}
{{- include "minifleet.externalSecret" (merge (dict "data" $data "target" dict) .) }}
{{- end }}
{{- end -}}

{{/*
Created by the External Secrets Operator: {root, path, name, namespace, data, target, early}. The Secret has no owner (Orphan) and stays
when the store loses it (Retain): a Secret owned by the ExternalSecret would be garbage-collected with it, in the middle of an upgrade or a
rollback. `early`: a hook, so that the Secret is requested before anything waits for it. A hook is deleted and recreated at each upgrade.
*/}}
{{- define "minifleet.externalSecret" -}}
{{- $settings := .root.Values.externalSecrets }}
{{- if not $settings.store.name }}{{ fail (printf "%s.source is external, but externalSecrets.store.name is empty: set it to the name of the store" .path) }}{{ end }}
---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata:
  name: {{ .name }}
  namespace: {{ .namespace }}
  labels:
    {{- include "minifleet.labels" .root | nindent 4 }}
  {{- if .early }}
  annotations:
    helm.sh/hook: pre-install,pre-upgrade
    helm.sh/hook-weight: "-10"
    helm.sh/hook-delete-policy: before-hook-creation
  {{- end }}
spec:
  refreshInterval: {{ $settings.refreshInterval }}
  secretStoreRef:
    {{- toYaml $settings.store | nindent 4 }}
  target:
    name: {{ .name }}
    creationPolicy: Orphan
    deletionPolicy: Retain
    {{- with .target }}
    template:
      {{- toYaml . | nindent 6 }}
    {{- end }}
  data:
    {{- toYaml .data | nindent 4 }}
{{- end -}}

{{- define "minifleet.scalewaySecretName" -}}
{{- .Values.scaleway.secret.name | default (printf "%s-scaleway" (include "minifleet.fullname" .)) -}}
{{- end -}}

{{- define "minifleet.runnersSecretName" -}}
{{- .Values.runnerPools.githubApp.name | default (printf "%s-runners-gh-app" (include "minifleet.fullname" .)) -}}
{{- end -}}
