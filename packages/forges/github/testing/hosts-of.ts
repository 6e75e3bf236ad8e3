import type { Secret } from '@minifleet/secret';
import type { Github } from '@minifleet/world';
import type { ForgeBench } from '../../testing/contract/forge-bench.ts';

type Session = ReturnType<Github['connect']>;

/** Actions of runners on their hosts, for the simulated GitHub. */
export function hostsOf(
  github: Github,
): Pick<ForgeBench, 'register' | 'start' | 'disconnect' | 'takeJob' | 'finishJob' | 'announce'> {
  const sessions = new Map<string, Session>();
  const connect = (clientId: string): void => {
    const session = github.connect(clientId);
    sessions.set(session.runner.name, session);
  };
  const of = (name: string): Session => {
    const session = sessions.get(name);
    if (!session) throw new Error(`the runner ${name} is not connected`);
    return session;
  };
  return {
    register(token, name, labels) {
      const url = 'https://github.com/acme';
      const { runner } = github.registerRunner({ url, token: token.reveal().toString(), name, labels });
      connect(runner.clientId);
    },
    start: configuration => connect(clientIdIn(configuration)),
    disconnect: name => of(name).close(),
    async takeJob(name) {
      const session = of(name);
      const job = session.nextJob();
      github.queueJob({ repository: 'acme/app', labels: session.runner.labels.map(label => label.name) });
      await job;
    },
    finishJob: name => of(name).finishJob('success'),
    announce: (version, endsAt) => github.state.releases.announce(version, endsAt),
  };
}

/** Parses a configuration like `run.sh --jitconfig`: file names with contents, twice in base64. */
export function clientIdIn(configuration: Secret): string {
  const decode = (text: string): Record<string, unknown> =>
    JSON.parse(Buffer.from(text, 'base64').toString('utf8')) as Record<string, unknown>;
  const files = decode(configuration.reveal().toString());
  const { Data } = decode(String(files['.credentials']));
  return String((Data as { readonly ClientId: string }).ClientId);
}
