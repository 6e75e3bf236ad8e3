import { z } from 'zod';
import { kubernetes } from './kubernetes.ts';
import type { Output } from './output.ts';
import { time } from './time.ts';

/** metav1.Condition, with the bounds Kubernetes gives its own. */
export const condition = z.object({
  type: z.string().min(1).max(316).describe('Name of the condition.'),
  status: z.enum(['True', 'False', 'Unknown']).describe('Whether the condition holds.'),
  reason: z.string().min(1).max(1024).describe('One word in CamelCase for why; a stable part of the API.'),
  message: z.string().max(32768).describe('A sentence for people: what holds, or what is waited for and what to do.'),
  lastTransitionTime: time.describe('When status last changed.'),
  observedGeneration: z.int().min(0).optional().describe('metadata.generation this condition was computed from.'),
});

/** A list keyed by type, so that two writers can each own their conditions. */
export const conditions = kubernetes(z.array(condition).max(32), {
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
});

export type Condition = Output<typeof condition>;
