/** Common parts of the Pods of both programs, in the chart and for clusterctl. */
export const PORT = 8080;

const probe = (path: string) => ({ httpGet: { path, port: 'metrics' } });

export const podSecurity = {
  runAsNonRoot: true,
  seccompProfile: { type: 'RuntimeDefault' },
};

/** Cluster API requires the name `manager`. */
export const container = {
  name: 'manager',
  ports: [{ name: 'metrics', containerPort: PORT }],
  livenessProbe: { ...probe('/healthz'), initialDelaySeconds: 15, periodSeconds: 20 },
  readinessProbe: { ...probe('/readyz'), periodSeconds: 10 },
  securityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  },
};

/** Prefers control plane nodes, and tolerates their taint. */
export const tolerations = [{ key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' }];
