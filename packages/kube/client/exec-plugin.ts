import { execFile } from 'node:child_process';
import { defined } from '../defined.ts';
import type { IssuedToken } from './credentials.ts';
import { KubeconfigError } from './kubeconfig-error.ts';

/** The `exec` part of a kubeconfig user: a program that prints a credential (cloud vendors' logins). */
export interface ExecConfig {
  readonly apiVersion?: string;
  readonly command?: string;
  readonly args?: readonly string[] | null;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
  readonly installHint?: string;
}

interface ExecCredential {
  readonly status?: {
    readonly token?: string;
    readonly expirationTimestamp?: string;
    readonly clientCertificateData?: string;
    readonly clientKeyData?: string;
  };
}

/** `environment` is inherited by the plugin, which may read its own settings there, for example AWS_PROFILE. */
export function execPlugin(
  path: string,
  config: ExecConfig,
  environment: Readonly<Record<string, string | undefined>>,
): () => Promise<IssuedToken> {
  const command = config.command;
  if (!command) throw new KubeconfigError(`kubeconfig ${path}: exec has no command`);
  const apiVersion = config.apiVersion ?? 'client.authentication.k8s.io/v1';
  const info = JSON.stringify({ apiVersion, kind: 'ExecCredential', spec: { interactive: false } });
  return async () => {
    const extra = Object.fromEntries((config.env ?? []).map(({ name, value }) => [name, value]));
    const output = await run(command, config.args ?? [], {
      ...environment,
      ...extra,
      KUBERNETES_EXEC_INFO: info,
    }).catch((cause: unknown) => {
      const hint = config.installHint ? ` ${config.installHint.trim()}` : '';
      throw new KubeconfigError(`kubeconfig ${path}: exec plugin "${command}" failed: ${words(cause)}.${hint}`, {
        cause,
      });
    });
    return credentialFrom(output, path, command);
  };
}

function credentialFrom(output: string, path: string, command: string): IssuedToken {
  let credential: ExecCredential;
  try {
    credential = JSON.parse(output) as ExecCredential;
  } catch (cause) {
    throw new KubeconfigError(`kubeconfig ${path}: exec plugin "${command}" did not print an ExecCredential`, {
      cause,
    });
  }
  const { token, clientCertificateData, clientKeyData, expirationTimestamp } = credential.status ?? {};
  if (!token && !clientCertificateData) {
    throw new KubeconfigError(
      `kubeconfig ${path}: exec plugin "${command}" returned neither a token nor a certificate`,
    );
  }
  return defined({
    token,
    certificate: clientCertificateData,
    key: clientKeyData,
    expiresAt: expirationTimestamp ? Date.parse(expirationTimestamp) : undefined,
  });
}

const words = (cause: unknown): string => {
  if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return 'not installed';
  return cause instanceof Error ? cause.message.trim() : String(cause);
};

function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(command, args, { env, timeout: 30_000 }, (error, stdout) => {
      if (error) reject(error);
      else resolve(stdout);
    });
  });
}
