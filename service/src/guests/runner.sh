#!/bin/sh
# The first work in a new guest: root's password, SSH, then the initial commands, each once, in order.
# cloud-init or a unit of the image runs this at the end of every boot, once the network is up, until it
# has removed itself: a command that restarts the guest doesn't lose those after it.
# Plain POSIX sh: dash, bash and busybox run it. BERTH_ROOT and BERTH_PATH are for its tests.

root=${BERTH_ROOT:-}
state=$root/var/lib/berth
work=$state/work
kept=4096
path=${BERTH_PATH:-/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin}
sshd=ok
stopping=

main() {
  umask 077
  export PATH="$path" LC_ALL=C
  trap 'stopping=1' TERM
  mkdir -p "$work" "$root/root" || give_up
  if [ -f "$state/handover" ]; then take_over; fi
  total=$(cat "$work/total") || give_up
  sshd=$(cat "$work/sshd")
  run_commands
  if guest_stops; then exit 0; fi
  finish
}

# With the disk full to the last, there is room for a word once all else of ours is gone.
give_up() {
  total=0
  rm -rf "$work"
  report failed 0
  exit 1
}

# Nothing runs before the handover is gone, so taking it over again after a crash does no harm.
take_over() {
  report preparing 0
  total=0
  . "$state/handover"
  # A hash of its own also unlocks root. It goes by a pipe, as arguments can be read by anyone.
  printf 'root:%s\n' "$password_hash" | chpasswd -e || give_up
  unset password_hash
  close_host_keys
  allow_root_login || sshd=missing
  printf '%s\n' "$total" >"$work/total"
  printf '%s\n' "$sshd" >"$work/sshd"
  # What is ours to write has room even when a command fills the disk: see save.
  dd if=/dev/zero of="$work/reserve" bs=65536 count=128 2>/dev/null
  rm -f "$state/handover"
}

# Writes what a command prints to a file, whole or not at all. On a full disk the reserve is given up
# for it; a file system may need a moment, and its log written, before that room can be used.
save() {
  file=$1
  shift
  for pause in 0 1 3; do
    if "$@" >"$file.new" 2>/dev/null && mv "$file.new" "$file"; then return 0; fi
    rm -f "$file.new" "$work/reserve" "$work/part"
    sync
    sleep "$pause"
  done
  return 1
}

# The handover calls this once a command.
add_command() {
  total=$((total + 1))
  printf '%s' "$1" >"$work/command.$total"
}

# And this once a file that others may read, such as /etc/hosts.
add_file() { (umask 022 && printf '%s' "$2" >"$root$1"); }

# Incus sets the mode of a file that is put into a guest last. Where that was cut short, anybody may read
# the file, and sshd takes no such key.
close_host_keys() {
  open_keys=$(find "$root/etc/ssh" -name 'ssh_host_*_key' -perm /007 2>/dev/null)
  if [ -z "$open_keys" ]; then return; fi
  printf '%s\n' "$open_keys" | while read -r key; do chmod 600 "$key"; done
  systemctl restart ssh.service
}

allow_root_login() {
  settings=$root/etc/ssh/sshd_config.d/00-berth.conf
  wanted='PermitRootLogin yes
PasswordAuthentication yes'
  if [ -f "$settings" ] && [ "$(cat "$settings")" = "$wanted" ]; then
    has sshd || install_sshd
    return
  fi
  (umask 022 && mkdir -p "${settings%/*}" && printf '%s\n' "$wanted" >"$settings") || return 1
  if has sshd; then include_settings && reload_sshd; else install_sshd && include_settings; fi
}

# In sshd's configuration the first value counts, so the line has to stand at the top.
include_settings() {
  main_settings=$root/etc/ssh/sshd_config
  if grep -qi '^[[:space:]]*Include[[:space:]].*sshd_config\.d' "$main_settings"; then return 0; fi
  { echo 'Include /etc/ssh/sshd_config.d/*.conf'; cat "$main_settings"; } >"$work/sshd_config" &&
    cat "$work/sshd_config" >"$main_settings" && reload_sshd
}

reload_sshd() {
  if has systemctl; then
    systemctl try-reload-or-restart ssh.service 2>/dev/null ||
      systemctl try-reload-or-restart sshd.service
  elif has rc-service; then
    rc-service --ifstarted sshd restart
  fi
}

install_sshd() {
  for pause in 2 5 0; do
    if install_sshd_once; then return 0; fi
    sleep "$pause"
  done
  return 1
}

install_sshd_once() {
  if has apt-get; then
    apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q -y install openssh-server
  elif has dnf; then
    dnf -q -y install openssh-server && systemctl enable --now sshd.service
  elif has apk; then
    apk add -q openssh-server && rc-update -q add sshd && rc-service sshd start
  else
    return 1
  fi </dev/null
}

has() { command -v "$1" >/dev/null; }

run_commands() {
  number=0
  while [ "$number" -lt "$total" ]; do
    number=$((number + 1))
    if [ -f "$work/result.$number" ]; then continue; fi
    if [ -f "$work/started.$number" ]; then
      interrupted "$number"
      continue
    fi
    if guest_stops; then exit 0; fi
    report running "$number"
    run
  done
}

# "reboot" returns at once; the next command must not start while the guest goes down.
guest_stops() {
  [ -n "$stopping" ] && return 0
  [ "$(systemctl is-system-running 2>/dev/null)" = stopping ]
}

run() {
  rm -f "$work/part" "$work/end" "$work/pipe"
  if ! mkfifo "$work/pipe"; then
    rm -f "$work/reserve"
    sync
    mkfifo "$work/pipe"
  fi
  collect <"$work/pipe" &
  collector=$!
  began=$(uptime_ms)
  start >"$work/pipe" 2>&1 </dev/null
  status=$?
  ended=$(uptime_ms)
  took=
  if [ -n "$began" ] && [ -n "$ended" ]; then took=$((ended - began)); fi
  # What a command leaves in the background may hold the pipe open for ever.
  { until_read && kill "$collector"; } >/dev/null 2>&1 &
  watchdog=$!
  wait "$collector"
  # A signal that the guest stops ends the wait, and not what is waited for.
  if [ -n "$stopping" ]; then wait "$collector"; fi
  kill "$watchdog" 2>/dev/null
  record "$number" "$status" "$took"
}

# By a clock that nobody sets, which tells hundredths of a second. 08 would be octal, and is none.
uptime_ms() {
  read -r up rest </proc/uptime || return 1
  echo "$((${up%.*} * 1000 + (1${up#*.} - 100) * 10))"
}

# What a command printed is in the pipe when it ends: on a busy node it may take a while until the
# reader is there, and until nothing more comes of it.
until_read() {
  size=$(part_size)
  for round in 1 2 3 4 5 6 7 8 9 10; do
    sleep 1
    last=$size
    size=$(part_size)
    if [ -n "$size" ] && [ "$size" = "$last" ]; then break; fi
  done
}

part_size() { if [ -f "$work/part" ]; then wc -c <"$work/part"; fi; }

# The started mark comes first: a command that a crash cut short is never run again.
start() (
  trap - TERM
  . "$work/command.$number"
  : >"$work/started.$number"
  # Both ends of the pipe are open by now; a command that reads every file must not meet it.
  rm -f "$work/command.$number" "$work/pipe"
  cd "$root/root" || exit 1
  # The mask is for what is ours; what a command makes is for everyone, as in any login of root.
  umask 022
  exec env -i PATH="$path" HOME="$root/root" USER=root LOGNAME=root SHELL=/bin/sh LANG=C.UTF-8 \
    /bin/sh -c 'exec "$@"' sh "$@"
)

# Keeps the end of what comes in, in bounded space. When told to end before the pipe does, it
# leaves somebody reading: a daemon must not die because nobody takes what it prints.
collect() {
  exec 3<&0
  ending=
  reader=
  trap 'ending=1; kill $reader' TERM
  while :; do
    dd bs=65536 count=256 of="$work/part" <&3 2>/dev/null &
    reader=$!
    if [ -n "$ending" ]; then kill "$reader"; fi
    wait "$reader"
    # The first was cut short by the signal.
    if [ -n "$ending" ]; then wait "$reader"; fi
    if [ -s "$work/part" ]; then keep_part; elif [ -z "$ending" ]; then return; fi
    if [ -n "$ending" ]; then
      cat <&3 >/dev/null 2>&1 &
      return
    fi
  done
}

keep_part() {
  output_end >"$work/end.new"
  rm -f "$work/part"
  mv "$work/end.new" "$work/end"
}

output_end() { cat "$work/end" "$work/part" 2>/dev/null | tail -c "$kept"; }

interrupted() {
  {
    output_end
    printf '\nInterrupted: the server stopped or restarted while this command ran.\n'
  } >"$work/part.new"
  rm -f "$work/end"
  mv "$work/part.new" "$work/part"
  record "$1" 143
}

# A result is its exit status, the length of its output, how many milliseconds it took if that is known,
# and the output.
record() {
  save "$work/output" output_end || : >"$work/output"
  save "$work/result.$1" result "$2" "${3:-}" || give_up
  rm -f "$work/started.$1" "$work/part" "$work/end" "$work/output"
}

result() {
  printf '%s %s%s\n' "$1" "$(($(wc -c <"$work/output")))" "${2:+ $2}" && cat "$work/output"
}

# The one file that is read from outside: where this is, and the results so far.
report() { save "$state/progress" progress "$@"; }

progress() {
  printf '%s %s %s\n' "$1" "$2" "$sshd" || return 1
  reported=0
  while [ "$reported" -lt "${total:-0}" ]; do
    reported=$((reported + 1))
    if [ -f "$work/result.$reported" ]; then cat "$work/result.$reported" || return 1; fi
  done
}

finish() {
  report done "$total" || give_up
  rm -rf "$work" "$0"
}

main
exit
