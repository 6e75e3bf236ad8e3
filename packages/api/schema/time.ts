import { z } from 'zod';

/** A moment as Kubernetes writes it: RFC 3339. */
export const time = z.iso.datetime({ offset: true });
