/** What keeps `up` and what belongs to it from doing what they were asked for. */
import { defineError } from '@minifleet/errors';

export const MINIFLEET_INSTALLED = defineError('MINIFLEET_INSTALLED', {
  retry: 'operator',
  reason: 'MinifleetInstalled',
  text: 'the cluster has a namespace {namespace}, so Minifleet is installed there, and simulated Macs would meet real ones; give another cluster, or none to have one started',
});

export const ALREADY_UP = defineError('ALREADY_UP', {
  retry: 'operator',
  reason: 'AlreadyUp',
  text: 'minifleet is up already (process {pid}, {kubeconfig}); use it, or stop it first: minifleet down',
});

export const NOT_UP = defineError('NOT_UP', {
  retry: 'operator',
  reason: 'NotUp',
  text: 'no minifleet is up here; start one: minifleet up --detach',
});

export const UP_ENDED = defineError('UP_ENDED', {
  retry: 'operator',
  reason: 'UpEnded',
  text: 'minifleet up ended before it was ready (exit code {code}); what it said is above and in {logFile}',
});

export const DOWN_NOT_OVER = defineError('DOWN_NOT_OVER', {
  retry: 'operator',
  reason: 'DownNotOver',
  text: 'process {pid} still stops after {timeout}; see what it says at its terminal, or in {logFile} if it was started with --detach; or end it with kill -9 {pid}: its watchdog removes the rest',
});
