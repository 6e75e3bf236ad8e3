import type { Pod } from '@minifleet/kube';
import { type ConfigReference, namespaceOf } from '../environment/config-source.ts';

/** The ConfigMaps and Secrets whose content a Pod's volumes show. */
export function volumeReferences(pod: Pod): ConfigReference[] {
  const namespace = namespaceOf(pod);
  return (pod.spec?.volumes ?? []).flatMap(({ configMap, secret, projected }) => [
    ...named('configmap', configMap?.name),
    ...named('secret', secret?.secretName),
    ...(projected?.sources ?? []).flatMap(source => [
      ...named('configmap', source.configMap?.name),
      ...named('secret', source.secret?.name),
    ]),
  ]);

  function named(kind: ConfigReference['kind'], name: string | undefined): ConfigReference[] {
    return name ? [{ kind, namespace, name, optional: true }] : [];
  }
}
