import { type Diagnosis, healthy, unknown } from '../../diagnosis/diagnosis.ts';
import { type DoctorFinding, toDiagnoses } from '../finding.ts';
import type { TrialResult } from './trials.ts';

export interface TrialResults {
  readonly bootstrapToken: TrialResult;
  readonly clientSigner: TrialResult;
  readonly servingSigner: TrialResult;
}

/** Result of a trial that the user did not agree to. */
export const notTried: TrialResult = {
  kind: 'unknown',
  why: 'not checked, because the check creates and deletes an object; use --yes',
};

export const checkTrials = ({ bootstrapToken, clientSigner, servingSigner }: TrialResults): Diagnosis[] => [
  ...row('bootstrap tokens', bootstrapToken, 'the API server accepts bootstrap tokens', {
    impact: 'no Mac can join the cluster',
    fix: 'start the API server with --enable-bootstrap-token-auth; on a managed cluster, ask the vendor for bootstrap tokens',
  }),
  ...row('client signer', clientSigner, 'the certificates of agents are signed', {
    impact: 'no Mac gets a certificate, so no Mac becomes a Node',
    fix: 'run kube-controller-manager with --cluster-signing-cert-file and --cluster-signing-key-file',
  }),
  ...row('serving signer', servingSigner, 'the serving certificates of agents are signed', {
    impact: 'kubectl logs, exec and port-forward do not work for Pods on Macs, and machines do not become Ready',
    fix: 'run kube-controller-manager with a signer for kubernetes.io/kubelet-serving (--cluster-signing-cert-file)',
  }),
];

function row(check: string, result: TrialResult, ok: string, about: Omit<DoctorFinding, 'what'>): Diagnosis[] {
  if (result.kind === 'works') return [healthy(check, ok)];
  if (result.kind === 'unknown') return [unknown(check, result.why)];
  const finding: DoctorFinding =
    result.kind === 'fails'
      ? { what: result.why, ...about }
      : {
          what: `the object of the check was not deleted (${result.why})`,
          impact: 'it grants nothing and expires by itself',
          fix: result.remove,
        };
  return toDiagnoses({ check, ok: '', unreadable: [], findings: [finding] });
}
