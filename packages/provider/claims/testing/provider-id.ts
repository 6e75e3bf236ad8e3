import { names } from '@minifleet/api';

export const providerIDOf = (id: string): string => `${names.providerIDScheme}://fr-par-1/${id}`;
