/** Requests of a Node to the API server with their client certificates, from the audit log. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface NodeRequest {
  readonly verb: string;
  readonly path: string;
  /** SHA-256 of the client certificate, in the format of X509Certificate. */
  readonly certificate: string;
  readonly at: number;
  /** Undefined while the request is open, such as a watch. */
  readonly endedAt: number | undefined;
}

interface AuditLine {
  readonly auditID: string;
  readonly stage: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly user: { readonly extra?: Readonly<Record<string, readonly string[]>> };
}

/** Flags of a kube-apiserver that audits the requests of this Node. */
export function auditFlags(directory: string, node: string): Record<string, string> {
  const policy = join(directory, 'audit-policy.json');
  const rules = [{ level: 'Metadata', users: [`system:node:${node}`] }, { level: 'None' }];
  writeFileSync(policy, JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules }));
  return { 'audit-policy-file': policy, 'audit-log-path': auditLog(directory), 'audit-log-mode': 'blocking-strict' };
}

const auditLog = (directory: string): string => join(directory, 'audit.log');

/** Reads the requests in order of arrival. */
export function readNodeRequests(directory: string): NodeRequest[] {
  const text = readFileSync(auditLog(directory), 'utf8');
  // The last line may be incomplete.
  const lines = text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter(Boolean);
  const byRequest = Map.groupBy(
    lines.map(line => JSON.parse(line) as AuditLine),
    ({ auditID }) => auditID,
  );
  return [...byRequest.values()].flatMap(requestOf).toSorted((one, other) => one.at - other.at);
}

function requestOf(stages: readonly AuditLine[]): NodeRequest[] {
  const [first] = stages;
  const certificate = first?.user.extra?.['authentication.kubernetes.io/credential-id']?.[0]?.replace(
    'X509SHA256=',
    '',
  );
  if (!first || certificate === undefined) return [];
  const ended = stages.find(({ stage }) => stage === 'ResponseComplete')?.stageTimestamp;
  return [
    {
      verb: first.verb,
      path: first.requestURI,
      certificate,
      at: Date.parse(first.requestReceivedTimestamp),
      endedAt: ended === undefined ? undefined : Date.parse(ended),
    },
  ];
}
