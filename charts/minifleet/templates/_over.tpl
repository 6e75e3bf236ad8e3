{{/* {defaults, given}: merges the given values over the defaults, as YAML. Sprig's mergeOverwrite ignores empty values (0, false). */}}
{{- define "minifleet.over" -}}
{{- $result := dict -}}
{{- range $key, $value := .defaults }}{{ $_ := set $result $key $value }}{{ end -}}
{{- range $key, $value := .given -}}
{{- if and (kindIs "map" $value) (kindIs "map" (get $result $key)) -}}
{{- $_ := set $result $key (include "minifleet.over" (dict "defaults" (get $result $key) "given" $value) | fromYaml) -}}
{{- else -}}
{{- $_ := set $result $key $value -}}
{{- end -}}
{{- end -}}
{{- toYaml $result -}}
{{- end -}}
