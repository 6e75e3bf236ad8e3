import { configMaps, defineController, namespaces, owned, settled, waitForWatch } from '@minifleet/kube';

const greeting = 'greeting';

/** Keeps a ConfigMap `greeting` in every Namespace labelled `greet`, while the label is set. */
export const greeter = defineController({
  name: 'greeter',
  resource: namespaces,
  watches: [owned(configMaps, namespaces)], // a manual change or deletion triggers the owning Namespace
  async reconcile({ cache, client, events }, { name }) {
    const namespace = cache(namespaces).get({ name });
    const whom = namespace?.metadata.labels?.['greet'];
    if (!namespace || !whom) return settled();
    if (namespace.metadata.deletionTimestamp) return waitForWatch('the namespace is being deleted');
    const found = cache(configMaps).get({ namespace: name, name: greeting });
    const text = `Hello, ${whom}`;
    if (found?.data?.['text'] === text) return settled();
    const owner = { apiVersion: 'v1', kind: 'Namespace', name, uid: namespace.metadata.uid ?? '', controller: true };
    await client.apply(
      configMaps,
      { metadata: { namespace: name, name: greeting, ownerReferences: [owner] }, data: { text } },
      { fieldManager: 'greeter', force: true },
    );
    events.record({ regarding: namespace, type: 'Normal', reason: 'Greeted', action: 'Greet', note: text });
    return settled();
  },
});
