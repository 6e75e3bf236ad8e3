import { createHmac } from 'node:crypto';
import { request } from 'node:http';
import { type Duration, pause, seconds } from '@minifleet/clock';
import type { WorldDeps } from '../../world-deps.ts';
import type { AppInstallation, GithubApp } from '../auth/tokens.ts';
import type { Job } from '../jobs/job.ts';
import type { JobAction } from '../jobs/jobs.ts';
import type { OpenApiCheck } from '../openapi/published-check.ts';
import type { HookOptions } from '../options.ts';
import { accountView, type GithubAddress, nodeId, organizationView } from '../rest/view/account-view.ts';
import { jobView } from '../rest/view/job-view.ts';
import { repositoryView } from '../rest/view/repository-view.ts';

interface HooksDeps {
  readonly world: WorldDeps;
  readonly apps: readonly GithubApp[];
  readonly address: GithubAddress;
  readonly hooks: readonly HookOptions[];
  readonly check: OpenApiCheck | undefined;
}

/** GitHub's timeout for a response; it never retries by itself. */
const RESPONSE_TIMEOUT: Duration = seconds(10);

/** Announces job events to receivers. Deliveries do not wait for one another, so a slow one is overtaken. */
export class Hooks {
  readonly #deps: HooksDeps;
  readonly #hooks: HookOptions[];
  readonly #deliveries: Delivery[] = [];
  readonly #closing = new AbortController();

  constructor(deps: HooksDeps) {
    this.#deps = deps;
    this.#hooks = [...deps.hooks];
  }

  /** In the order of their events, including those that never arrived. */
  get deliveries(): readonly Delivery[] {
    return this.#deliveries;
  }

  add(hook: HookOptions): void {
    this.#hooks.push(hook);
  }

  announce(job: Job, action: JobAction): void {
    for (const hook of this.#hooks) {
      const installation = this.#deps.apps
        .find(app => app.id === hook.app)
        ?.installations.find(each => each.account === job.scope.account);
      if (hook.app !== undefined && (!installation || installation.suspended)) continue;
      const payload = workflowJobPayload(job, { action, address: this.#deps.address, installation });
      this.#deps.check?.webhook(`workflow-job-${action.replace('_', '-')}`, payload);
      void this.#deliver({
        guid: this.#deps.world.chance.uuid(),
        hook,
        event: 'workflow_job',
        action,
        redelivery: false,
        payload: JSON.stringify(payload),
        installationId: installation?.id,
        repositoryId: job.scope.repository.id,
      });
    }
  }

  /** Sends a delivery again, with the same guid and payload. */
  async redeliver(id: number): Promise<void> {
    const old = this.#deliveries.find(each => each.id === id);
    if (!old) throw new Error(`unknown webhook delivery ${id}`);
    await this.#deliver({ ...old, redelivery: true });
  }

  close(): void {
    this.#closing.abort();
  }

  async #deliver(what: Omit<Delivery, 'id' | 'deliveredAt' | 'seconds' | 'status' | 'statusCode'>): Promise<void> {
    const { clock, faults, journal } = this.#deps.world;
    const id = 10_000 + this.#deliveries.length;
    const delivery: Delivery = { ...what, id, deliveredAt: undefined, seconds: 0, status: 'pending', statusCode: 0 };
    this.#deliveries.push(delivery);
    const detail = `webhook ${what.event}.${what.action} to ${what.hook.url}`;
    const fault = faults.strike({ place: 'github', kind: 'request', detail });
    const began = clock.now();
    if (fault?.type === 'delay') await pause(clock, fault.by, this.#closing.signal);
    if (fault?.type === 'hang') await pause(clock, RESPONSE_TIMEOUT, this.#closing.signal);
    if (fault?.type === 'fail') {
      delivery.status = fault.message;
      delivery.statusCode = fault.code;
    } else if (fault?.type === 'hang' || (fault?.type === 'drop' && fault.when === 'before')) {
      delivery.status = 'failed to connect to host';
    } else {
      await this.#attempt(delivery);
      // Simulates a proxy that repeated the request after its connection broke.
      if (fault?.type === 'drop' && fault.when === 'during') await this.#attempt(delivery);
      if (fault?.type === 'drop') Object.assign(delivery, { status: 'timed out', statusCode: 0 });
    }
    delivery.deliveredAt = clock.now();
    delivery.seconds = (clock.now() - began) / 1_000;
    journal.add('github', 'webhook', `${detail}: ${delivery.statusCode} ${delivery.status}`);
  }

  async #attempt(delivery: Delivery): Promise<void> {
    const late = new AbortController();
    const timer = this.#deps.world.clock.after(RESPONSE_TIMEOUT, () => late.abort());
    try {
      delivery.statusCode = await send(delivery, AbortSignal.any([late.signal, this.#closing.signal]));
      delivery.status = delivery.statusCode < 300 ? 'OK' : `Invalid HTTP Response: ${delivery.statusCode}`;
    } catch {
      delivery.status = late.signal.aborted ? 'timed out' : 'failed to connect to host';
    } finally {
      timer.cancel();
    }
  }
}

/** Posts one delivery over a new connection and resolves with the status. Rejects when no response comes. */
function send(delivery: Delivery, signal: AbortSignal): Promise<number> {
  const { hook, payload } = delivery;
  return new Promise((resolve, reject) => {
    const post = request(hook.url, { method: 'POST', signal, agent: false, headers: headersOf(delivery) }, response => {
      response.resume();
      response.on('error', reject);
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    post.on('error', reject);
    post.end(payload);
  });
}

const headersOf = ({ hook, payload, event, guid, id }: Delivery): Record<string, string> => ({
  'content-type': 'application/json',
  'content-length': String(Buffer.byteLength(payload)),
  accept: '*/*',
  'user-agent': 'GitHub-Hookshot/44a6c3e',
  'x-github-event': event,
  'x-github-delivery': guid,
  'x-github-hook-id': String(id % 1_000),
  'x-github-hook-installation-target-type': hook.app === undefined ? 'organization' : 'integration',
  ...(hook.app !== undefined && { 'x-github-hook-installation-target-id': String(hook.app) }),
  'x-hub-signature-256': sign(payload, hook.secret),
});

/** Returns the value of `X-Hub-Signature-256`. */
const sign = (payload: string, secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(payload).digest('hex')}`;

/** One attempt to deliver an event. A redelivery has its own id and the `guid` of the first attempt. */
export interface Delivery {
  readonly id: number;
  readonly guid: string;
  readonly hook: HookOptions;
  readonly event: string;
  readonly action: string;
  readonly redelivery: boolean;
  readonly payload: string;
  readonly installationId: number | undefined;
  readonly repositoryId: number;
  /** Undefined until the attempt ended. */
  deliveredAt: number | undefined;
  seconds: number;
  /** `OK`, or the reason of the failure. */
  status: string;
  /** 0 when no response came. */
  statusCode: number;
}

interface PayloadOptions {
  readonly action: JobAction;
  readonly address: GithubAddress;
  readonly installation: AppInstallation | undefined;
}

const workflowJobPayload = (job: Job, { action, address, installation }: PayloadOptions): Record<string, unknown> => ({
  action,
  workflow_job: jobView(job, address),
  repository: repositoryView(job.scope, address),
  organization: organizationView(job.scope.account, address),
  sender: accountView(job.scope.account, address),
  ...(installation && { installation: { id: installation.id, node_id: nodeId('I', installation.id) } }),
});
