import type { Quantity } from '@minifleet/api';

const SUFFIXES: Readonly<Record<string, number>> = {
  '': 1,
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** A Kubernetes quantity (`500m`, `4Gi`, `1e3`) as a number of its base unit. */
export function parseQuantity(quantity: Quantity): number {
  const [, digits = '', suffix = ''] =
    /^([+-]?[\d.]+(?:[eE][+-]?\d+)?)([A-Za-z]*)$/.exec(String(quantity).trim()) ?? [];
  const unit = SUFFIXES[suffix];
  if (digits === '' || unit === undefined) throw new TypeError(`"${quantity}" is not a quantity`);
  return Number(digits) * unit;
}

/** The same, of a quantity that may be missing. */
export const quantityOr = (quantity: Quantity | undefined, otherwise: number): number =>
  quantity === undefined ? otherwise : parseQuantity(quantity);
