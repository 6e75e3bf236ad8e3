{{/* Objects of generated RBAC, in the namespaces of this release: {root, file}. */}}
{{- define "minifleet.access" -}}
{{- $text := .root.Files.Get (printf "files/rbac/%s" .file)
  | replace "minifleet-system" .root.Release.Namespace
  | replace "tuist-runners" .root.Values.runnerPools.namespace }}
{{- range splitList "\n---\n" $text }}
{{- $object := fromYaml . }}
{{- if ne $object.kind "Namespace" }}
{{- $_ := set $object.metadata "labels" (include "minifleet.labels" $.root | fromYaml) }}
---
{{ toYaml $object }}
{{- end }}
{{- end }}
{{- end -}}

{{/* One program: {root, name, program, args, env, mounts, volumes, checksums}. */}}
{{- define "minifleet.deployment" -}}
{{- $common := .root.Files.Get "files/program-pod.yaml" | fromYaml -}}
{{- $selector := include "minifleet.selector" . -}}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .name }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "minifleet.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .name }}
spec:
  replicas: {{ .program.replicas }}
  selector:
    matchLabels:
      {{- $selector | nindent 6 }}
  template:
    metadata:
      labels:
        {{- $selector | nindent 8 }}
      annotations:
        kubectl.kubernetes.io/default-container: {{ $common.container.name }}
        {{- with .checksums }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      serviceAccountName: {{ .name }}
      securityContext:
        {{- toYaml $common.securityContext | nindent 8 }}
      {{- with .root.Values.imagePullSecrets }}
      imagePullSecrets:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      containers:
        -
          {{- toYaml $common.container | nindent 10 }}
          image: {{ include "minifleet.image" . }}
          imagePullPolicy: {{ .program.image.pullPolicy }}
          args:
            - --leader-elect
            - --leader-elect-namespace={{ .root.Release.Namespace }}
            - --log-level={{ .program.logLevel }}
            {{- toYaml .args | nindent 12 }}
            {{- range $flag, $value := .program.flags }}
            - {{ if kindIs "bool" $value }}{{ if $value }}--{{ $flag }}{{ else }}{{ fail (printf "flags.%s is false: leave it out" $flag) }}{{ end }}{{ else }}{{ printf "--%s=%v" $flag $value | quote }}{{ end }}
            {{- end }}
          {{- with .env }}
          env:
            {{- toYaml . | nindent 12 }}
          {{- end }}
          resources:
            {{- toYaml .program.resources | nindent 12 }}
          {{- with .mounts }}
          volumeMounts:
            {{- toYaml . | nindent 12 }}
          {{- end }}
      {{- with .volumes }}
      volumes:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      nodeSelector:
        {{- toYaml (merge (dict "kubernetes.io/os" "linux") .program.nodeSelector) | nindent 8 }}
      tolerations:
        {{- toYaml (concat $common.tolerations .program.tolerations) | nindent 8 }}
      affinity:
        {{- if .program.affinity }}
        {{- toYaml .program.affinity | nindent 8 }}
        {{- else }}
        podAntiAffinity:
          preferredDuringSchedulingIgnoredDuringExecution:
            - weight: 100
              podAffinityTerm:
                topologyKey: kubernetes.io/hostname
                labelSelector:
                  matchLabels:
                    {{- $selector | nindent 20 }}
        {{- end }}
---
apiVersion: v1
kind: Service
metadata:
  name: {{ .name }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "minifleet.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .name }}
spec:
  selector:
    {{- $selector | nindent 4 }}
  ports:
    - name: metrics
      port: 8080
      targetPort: metrics
{{- end -}}

{{/* Not name:tag@digest, which CRI-O does not pull. */}}
{{- define "minifleet.image" -}}
{{- $image := .program.image -}}
{{- with .root.Values.imageRegistry }}{{ trimSuffix "/" . }}/{{ end }}{{ $image.repository -}}
{{- if $image.digest }}@{{ $image.digest }}{{ else }}:{{ $image.tag | default .root.Chart.AppVersion }}{{ end -}}
{{- end -}}
