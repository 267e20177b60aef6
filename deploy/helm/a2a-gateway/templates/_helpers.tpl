{{- define "gateway.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "gateway.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" -}}
{{- else if contains (include "gateway.name" .) .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "gateway.name" .) | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "gateway.selector" -}}
app.kubernetes.io/name: {{ include "gateway.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "gateway.labels" -}}
{{ include "gateway.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* What every object has. */}}
{{- define "gateway.metadata" -}}
metadata:
  name: {{ include "gateway.fullname" . }}
  namespace: {{ .Release.Namespace }}
  labels:
    {{- include "gateway.labels" . | nindent 4 }}
{{- end -}}

{{- define "gateway.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}{{ .repository }}@{{ .digest }}{{- else -}}{{ .repository }}:{{ default $.Chart.AppVersion .tag }}{{- end -}}
{{- end -}}
{{- end -}}

{{/* The configuration file: the user's part, and what depends on the cluster. */}}
{{- define "gateway.config" -}}
{{- $sqlite := .Values.store.sqlite.enabled -}}
{{- /* The liveness probe must find the pod alive while it migrates the database. */ -}}
{{- $listen := dict "host" "0.0.0.0" "port" 8080 "publicUrl" .Values.publicUrl "whileStarting" true -}}
{{- if .Values.tls.secret -}}
{{- $_ := set $listen "tls" (dict "cert" "/etc/a2a-gateway-tls/tls.crt" "key" "/etc/a2a-gateway-tls/tls.key") -}}
{{- end -}}
{{- $shutdown := dict "delay" (printf "%vs" .Values.shutdown.delay) "drain" (printf "%vs" .Values.shutdown.drain) -}}
{{- $own := dict "listen" $listen "store" (ternary "sqlite:/data/gateway.db" "${STORE}" $sqlite) "shutdown" $shutdown -}}
{{- if .Values.watch -}}{{- $_ := set $own "watch" true -}}{{- end -}}
{{- $config := deepCopy .Values.config -}}
{{- /* Not among the values: Helm would merge it into the user's agents. */ -}}
{{- if not (hasKey $config "agents") -}}{{- $_ := set $config "agents" (dict "demo" (dict "kind" "reference")) -}}{{- end -}}
{{- mergeOverwrite $config $own | toYaml -}}
{{- end -}}

{{/* Refuses values that cannot work together. */}}
{{- define "gateway.check" -}}
{{- $sqlite := .Values.store.sqlite.enabled -}}
{{- if and $sqlite (or (gt (int .Values.replicas) 1) .Values.autoscaling.enabled) -}}
{{- fail "store.sqlite is for one replica: set replicas to 1 and leave autoscaling off, or use store.postgres" -}}
{{- end -}}
{{- if and $sqlite .Values.store.postgres.secret -}}
{{- fail "store.postgres and store.sqlite exclude each other" -}}
{{- end -}}
{{- if not (or $sqlite .Values.store.postgres.secret) -}}
{{- fail "name the Secret with PostgreSQL's address in store.postgres.secret, or set store.sqlite.enabled" -}}
{{- end -}}
{{- if not .Values.publicUrl -}}
{{- fail "publicUrl is the address that callers use; cards advertise it" -}}
{{- end -}}
{{- if and .Values.autoscaling.enabled (gt (int .Values.autoscaling.min) (int .Values.autoscaling.max)) -}}
{{- fail "autoscaling.min is above autoscaling.max" -}}
{{- end -}}
{{- if and .Values.ingress.enabled (not .Values.ingress.host) -}}
{{- fail "ingress.host is the name that callers use" -}}
{{- end -}}
{{- if and .Values.gateway.enabled (not .Values.gateway.parentRefs) -}}
{{- fail "gateway.parentRefs names the Gateway that the routes belong to" -}}
{{- end -}}
{{- end -}}
