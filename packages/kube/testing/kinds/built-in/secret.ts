import { isObject, objectIn, type StoredObject } from '../../store/json.ts';

/** Stores `stringData` as `data` in base64. */
export function completeSecret(secret: StoredObject): void {
  secret['type'] ??= 'Opaque';
  if (!isObject(secret['stringData'])) return;
  const encoded = Object.entries(secret['stringData']).map(([key, text]) => [
    key,
    Buffer.from(String(text)).toString('base64'),
  ]);
  secret['data'] = { ...objectIn(secret, 'data'), ...Object.fromEntries(encoded) };
  delete secret['stringData'];
}
