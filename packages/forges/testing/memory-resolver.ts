import type { Forge, ForgeReference, Resolver } from '../forge.ts';

/** Gives the same forge for every account; `asked` has the references, in order. */
export function memoryResolver(forge: Forge): Resolver & { readonly asked: readonly ForgeReference[] } {
  const asked: ForgeReference[] = [];
  return {
    asked,
    async resolve(reference) {
      asked.push(reference);
      return forge;
    },
    url: () => forge.url,
  };
}
