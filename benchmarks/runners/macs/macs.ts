/** Process: GitHub with its jobs, and fakes of scheduler and agents. Separate, so that their CPU time and memory do not count as the program's. */
import { generateKeyPairSync } from 'node:crypto';
import { systemClock } from '@minifleet/clock';
import { type Client, connectClient, readKubeconfig } from '@minifleet/kube';
import { createChance, createFaultPlan, createJournal, startGithub } from '@minifleet/world';
import { serveCalls } from '../../child/serve-calls.ts';
import { macName, organization } from '../names.ts';
import { runAgents } from './agents.ts';
import type { MacsCalls } from './calls.ts';

const [pools = 1] = process.argv.slice(2).map(Number);
const APP = 42;
const FIRST_INSTALLATION = 1_000;
const REPOSITORY = 'app';

const all = Array.from({ length: pools }, (_, pool) => pool);
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const installations = all.map(pool => ({ id: FIRST_INSTALLATION + pool, account: organization(pool) }));
const chance = createChance('runners benchmark');
const journal = createJournal(systemClock);
const github = await startGithub({
  deps: { clock: systemClock, chance, journal, faults: createFaultPlan(chance.stream('faults')) },
  apps: [{ id: APP, key: publicKey, installations }],
  organizations: all.map(pool => ({ login: organization(pool), repositories: [REPOSITORY] })),
});

const end = new AbortController();
const problems: string[] = [];
let client: Client | undefined;

serveCalls<MacsCalls>({
  async access() {
    const key = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
    return { url: github.url, app: { id: APP, privateKey: key }, installations: installations.map(({ id }) => id) };
  },
  async serve({ kubeconfig, namespace }) {
    client = connectClient(readKubeconfig(kubeconfig), { clock: systemClock });
    const macOf = (pool: string): string => macName(Number(/\d+$/.exec(pool)?.[0]));
    const onProblem = (text: string): void => void problems.push(text);
    void runAgents({ client, github, namespace, macOf, onProblem }, end.signal).catch((error: unknown) =>
      onProblem(String(error)),
    );
  },
  async queueJobs(count) {
    for (const pool of all) {
      for (let job = 0; job < count; job++) {
        github.queueJob({ repository: `${organization(pool)}/${REPOSITORY}`, labels: ['self-hosted'] });
      }
    }
  },
  async jobs() {
    const ended = github.state.jobs.all.filter(({ status }) => status === 'completed');
    const done = ended.filter(({ conclusion }) => conclusion === 'success').length;
    const open = github.state.jobs.all.length - ended.length;
    return { done, failed: ended.length - done, open, doubles: github.doubles() };
  },
  requests: async () => journal.entries.filter(({ what }) => what === 'request').length,
  problems: async () => [...journal.gaps.map(({ place, detail }) => `not modelled: ${place}: ${detail}`), ...problems],
  async processorTime() {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  },
  async close() {
    end.abort();
    await client?.close();
    await github.close();
  },
});
