import { join } from "node:path";

export const usedPorts = ["imap", "imaps", "lmtp", "smtp", "submission", "sasl", "dns"] as const;
export type Ports = Readonly<Record<(typeof usedPorts)[number], number>>;

export type MailPlan = {
  readonly folder: string;
  readonly domain: string;
  readonly ports: Ports;
  /** What the DNS holds of the key that signs. */
  readonly record: string;
  /** Who owns the mailboxes. */
  readonly uid: number;
  readonly gid: number;
  readonly group: string;
};

/** The configuration files of the four servers, by their names in the folder. Nothing outside of it is written or read. */
export function mailConfigurations(plan: MailPlan): Readonly<Record<string, string>> {
  return {
    passwd: "",
    "dovecot.conf": dovecot(plan),
    "dns/zone.conf": zone(plan),
    "dns/unbound.conf": unbound(plan),
    "dkim/keytable": `s1._domainkey.${plan.domain} ${plan.domain}:s1:${join(plan.folder, "dkim", "s1.private")}\n`,
    "dkim/signingtable": `*@${plan.domain} s1._domainkey.${plan.domain}\n`,
    // Only those who log in are signed; mail on the plain port is verified.
    "dkim/internal": "192.0.2.1\n",
    "dkim/resolver.conf": libunbound(plan),
    "dkim/opendkim.conf": opendkim(plan),
    "pf/main.cf": mainCf(plan),
    "pf/master.cf": masterCf(plan),
  };
}

const dovecot = ({ folder, ports, uid, gid, group }: MailPlan): string => `
base_dir = ${folder}/run
state_dir = ${folder}/state
log_path = ${folder}/log/dovecot.log
protocols = imap lmtp
listen = 127.0.0.1
default_internal_user = nobody
default_internal_group = ${group}
default_login_user = nobody
first_valid_uid = 1
ssl = yes
ssl_cert = <${folder}/tls/cert.pem
ssl_key = <${folder}/tls/key.pem
disable_plaintext_auth = no
auth_mechanisms = plain login
auth_failure_delay = 0
mail_location = maildir:~/Maildir
mail_max_userip_connections = 50
recipient_delimiter = +
passdb {
  driver = passwd-file
  args = scheme=PLAIN username_format=%u ${folder}/passwd
}
userdb {
  driver = static
  args = uid=${uid} gid=${gid} home=${folder}/mail/%u
}
namespace inbox {
  inbox = yes
  separator = /
  mailbox Junk {
    auto = create
    special_use = \\Junk
  }
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${ports.imap}
  }
  inet_listener imaps {
    port = ${ports.imaps}
    ssl = yes
  }
}
service lmtp {
  inet_listener lmtp {
    address = 127.0.0.1
    port = ${ports.lmtp}
  }
}
service auth {
  inet_listener sasl {
    address = 127.0.0.1
    port = ${ports.sasl}
  }
}
service anvil {
  chroot =
  # No growing delay after wrong passwords.
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
service stats {
  chroot =
}
`;

const zone = ({ domain, record }: MailPlan): string => {
  // One string of a record holds at most 255 bytes.
  const strings = (record.match(/.{1,200}/g) ?? []).map((part) => `"${part}"`).join(" ");
  return [
    `local-data: '${domain}. 60 IN MX 10 mail.${domain}.'`,
    `local-data: 'mail.${domain}. 60 IN A 127.0.0.1'`,
    `local-data: '${domain}. 60 IN TXT "v=spf1 ip4:127.0.0.1 -all"'`,
    `local-data: '_dmarc.${domain}. 60 IN TXT "v=DMARC1; p=reject; adkim=s; aspf=s"'`,
    `local-data: 's1._domainkey.${domain}. 60 IN TXT ${strings}'`,
    "",
  ].join("\n");
};

const unbound = ({ folder, ports }: MailPlan): string => `
server:
  interface: 127.0.0.1
  port: ${ports.dns}
  do-daemonize: no
  use-syslog: no
  logfile: "${folder}/log/unbound.log"
  chroot: ""
  username: ""
  directory: "${folder}/dns"
  pidfile: ""
  access-control: 127.0.0.0/8 allow
  do-not-query-localhost: no
  module-config: "iterator"
  local-zone: "." static
  include: "${folder}/dns/zone.conf"
remote-control:
  control-enable: no
`;

const libunbound = ({ ports }: MailPlan): string => `
server:
  do-not-query-localhost: no
  module-config: "iterator"
  # It answers NXDOMAIN for test. by itself (RFC 6761).
  local-zone: "test." nodefault
forward-zone:
  name: "."
  forward-addr: 127.0.0.1@${ports.dns}
`;

const opendkim = ({ folder, domain }: MailPlan): string => `
Syslog no
Mode sv
Canonicalization relaxed/relaxed
KeyTable file:${folder}/dkim/keytable
SigningTable refile:${folder}/dkim/signingtable
InternalHosts file:${folder}/dkim/internal
ExternalIgnoreList file:${folder}/dkim/internal
Socket local:${folder}/run/opendkim.sock
UMask 000
ResolverConfiguration ${folder}/dkim/resolver.conf
AuthservID mx.${domain}
AlwaysAddARHeader yes
OversignHeaders From
RequireSafeKeys no
`;

const mainCf = ({ folder, domain, ports }: MailPlan): string => `
compatibility_level = 3.6
queue_directory = ${folder}/queue
data_directory = ${folder}/data
command_directory = /usr/sbin
daemon_directory = /usr/lib/postfix/sbin
mail_owner = postfix
setgid_group = postdrop
maillog_file = ${folder}/log/postfix.log
maillog_file_prefixes = ${folder}/log
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = mx.${domain}
mydomain = ${domain}
myorigin = ${domain}
mydestination =
alias_maps =
alias_database =
local_recipient_maps =
mynetworks =
recipient_delimiter = +
virtual_mailbox_domains = ${domain}
virtual_transport = lmtp:inet:127.0.0.1:${ports.lmtp}
default_transport = error:this mail system does not send outside
relay_transport = error:this mail system does not send outside
smtpd_peername_lookup = no
smtpd_tls_cert_file = ${folder}/tls/cert.pem
smtpd_tls_key_file = ${folder}/tls/key.pem
smtpd_tls_security_level = may
smtpd_sasl_type = dovecot
smtpd_sasl_path = inet:127.0.0.1:${ports.sasl}
smtpd_relay_restrictions = permit_sasl_authenticated, reject_unauth_destination
smtpd_recipient_restrictions = check_recipient_access inline:{
  { later@${domain} = 451 4.7.1 Greylisted, try again in 30 seconds }
  { full@${domain} = 552 5.2.2 Mailbox full }
  { down@${domain} = 421 4.3.2 Service shutting down } }
smtpd_milters = unix:${folder}/run/opendkim.sock
milter_default_action = tempfail
message_size_limit = 300000
minimal_backoff_time = 2s
maximal_backoff_time = 4s
queue_run_delay = 2s
bounce_queue_lifetime = 20s
maximal_queue_lifetime = 20s
`;

const masterCf = ({ ports }: MailPlan): string => `
127.0.0.1:${ports.smtp} inet n - n - - smtpd
127.0.0.1:${ports.submission} inet n - n - - smtpd
  -o syslog_name=postfix/submission
  -o smtpd_tls_security_level=encrypt
  -o smtpd_sasl_auth_enable=yes
  -o smtpd_client_restrictions=permit_sasl_authenticated,reject
  -o milter_macro_daemon_name=ORIGINATING
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
smtp unix - - n - - smtp
relay unix - - n - - smtp
showq unix n - n - - showq
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
local unix - n n - - local
virtual unix - n n - - virtual
lmtp unix - - n - - lmtp
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
`;
