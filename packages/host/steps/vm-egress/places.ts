/** Where the guests' filter lies on a host. Names that hosts set up before already carry are kept to the letter. */
export const PF_CONF = '/etc/pf.conf';
export const RULES_FILE = '/etc/pf.anchors/tuist.runners';
/** Loads the rules at boot and each minute. */
export const LOADER = '/usr/local/bin/tuist-pf-runners';
/** Holds the token of our reference to pf. Tokens and /var/run both end with a boot. */
export const TOKEN_FILE = '/var/run/tuist-pf-runners.token';
export const JOB = 'dev.tuist.pfctl-runners';
export const JOB_LOG = '/var/log/tuist-pfctl-runners.log';

/** What pf.conf refers to: the rules' place from the next boot on. */
export const BOOT_ANCHOR = 'tuist.runners';
/** Below `com.apple/*`, which every Mac's running ruleset already refers to: the rules' place at once. */
export const LIVE_ANCHOR = 'com.apple/tuist.runners';
export const ANCHORS = [LIVE_ANCHOR, BOOT_ANCHOR] as const;

export const GUEST_TABLE = 'vm_sources';
export const BLOCKED_TABLE = 'blocked_dst';
export const TABLES = [GUEST_TABLE, BLOCKED_TABLE] as const;
