import { randomUUID } from 'node:crypto';
import { eventually } from '@minifleet/clock/testing';
import { isAlreadyExists } from '../../client/api-error.ts';
import type { ConfigMap, Pod } from '../../client/built-in.ts';
import { configMaps, customResourceDefinitions, namespaces, pods, serviceAccounts } from '../../client/built-in.ts';
import type { Client } from '../../client/client.ts';
import type { ContractServer } from './contract-server.ts';
import { definitions, gadgets, type Widget, widgets } from './widgets.ts';

/** Fixture of the contract tests: one server, and a separate namespace for each test. */
export class Bench {
  #server: ContractServer | undefined;

  get client(): Client {
    if (!this.#server) throw new Error('the server is not open yet');
    return this.#server.client;
  }

  async open(server: ContractServer): Promise<void> {
    this.#server = server;
    for (const definition of definitions) {
      await this.client.create(customResourceDefinitions, definition).catch(unlessItExists);
    }
    await eventually(() => Promise.all([this.client.list(widgets), this.client.list(gadgets)]));
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }

  async namespace(): Promise<string> {
    const name = uniqueName('contract');
    await this.client.create(namespaces, { metadata: { name } });
    // The API server rejects Pods without this account. A controller manager also creates it and may do so first.
    await this.client.create(serviceAccounts, { metadata: { name: 'default', namespace: name } }).catch(unlessItExists);
    return name;
  }

  createWidget(namespace: string, name: string, more: Partial<Widget> = {}): Promise<Widget> {
    const { metadata, ...rest } = more;
    return this.client.create(widgets, {
      spec: { size: 'small' },
      ...rest,
      metadata: { ...metadata, name, namespace },
    });
  }

  createConfigMap(namespace: string, name: string, metadata: Partial<ConfigMap['metadata']> = {}): Promise<ConfigMap> {
    return this.client.create(configMaps, { metadata: { ...metadata, name, namespace }, data: { colour: 'red' } });
  }

  createPod(namespace: string, name: string, more: { nodeName?: string; finalizers?: string[] } = {}): Promise<Pod> {
    const { finalizers, ...spec } = more;
    return this.client.create(pods, {
      metadata: { name, namespace, ...(finalizers ? { finalizers } : {}) },
      spec: { containers: [{ name: 'main', image: 'example.test/image:1' }], ...spec },
    });
  }
}

export const uniqueName = (prefix: string): string => `${prefix}-${randomUUID().slice(0, 8)}`;

const unlessItExists = (error: unknown): void => {
  if (!isAlreadyExists(error)) throw error;
};
