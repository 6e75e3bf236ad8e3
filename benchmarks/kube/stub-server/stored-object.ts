/** An object of the stub. */
export interface StoredObject {
  readonly apiVersion: 'v1';
  readonly kind: 'ConfigMap' | 'Secret';
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}
