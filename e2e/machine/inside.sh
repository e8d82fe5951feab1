#!/bin/bash
# The part of boot.sh that runs in the namespaces of the machine, and becomes its first process.
set -euo pipefail
root=$directory/root
mount --make-rprivate /
mount -t overlay overlay -o "lowerdir=/,upperdir=$directory/upper,workdir=$directory/work" "$root"

if [ ! -e "$directory/prepared" ]; then
  # Only what a new machine has: no units, no Berth, and no disks of this machine.
  rm -rf "$root"/{etc/systemd/system,etc/berth,opt/berth,root/.cache,var/lib/incus,var/log/journal}
  rm -rf "$root"/var/{lib,cache,backups}/berth "$root/var/lib/berth-setup"
  system=$root/etc/systemd/system
  mkdir -p "$root"/{var/lib/incus,opt/berth/1,opt/berth/2} "$root/var/cache/berth"
  mkdir -p "$system"/{sockets.target.wants,multi-user.target.wants,lxcfs.service.d}
  ln -s /lib/systemd/system/incus.socket "$system/sockets.target.wants/"
  ln -s /lib/systemd/system/{incus-startup,lxcfs}.service "$system/multi-user.target.wants/"
  # systemd takes the machine for a container, in which lxcfs is not started.
  printf '[Unit]\nConditionVirtualization=\n' >"$system/lxcfs.service.d/here.conf"
  # What they change belongs to the kernel, which this machine shares.
  for unit in systemd-{udevd,udev-trigger,sysctl,modules-load,random-seed,timesyncd}.service; do
    ln -s /dev/null "$system/$unit"
  done
  : >"$root/etc/fstab"
  echo "$name" >"$root/etc/hostname"
  printf '127.0.0.1 localhost %s\n::1 localhost\n' "$name" >"$root/etc/hosts"
  cp -a "$images" "$root/var/cache/berth/images"
  touch "$directory/prepared"
fi

mount --bind "$directory/incus" "$root/var/lib/incus"
for version in 1 2; do mount --bind "$repository" "$root/opt/berth/$version"; done
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
  mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
else
  mount -t tmpfs -o mode=755 tmpfs "$root/sys/fs/cgroup"
  findmnt -rno TARGET,FSTYPE,FS-OPTIONS --types cgroup,cgroup2 | while read -r point type options; do
    mkdir "$root$point"
    mount -t "$type" -o "${options#rw,}" "$type" "$root$point"
  done
fi
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
devices=(null zero full random urandom tty kmsg fuse btrfs-control loop-control fd stdin stdout stderr)
for block in /sys/class/block/*; do devices+=("$(basename "$block")"); done
for device in "${devices[@]}"; do
  if [ -e "/dev/$device" ] || [ -L "/dev/$device" ]; then cp -a "/dev/$device" "$root/dev/"; fi
done
mkdir "$root"/dev/{pts,shm}
mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
for path in dev/shm run tmp; do mount -t tmpfs -o mode=755 tmpfs "$root/$path"; done
chmod 1777 "$root/tmp" "$root/dev/shm"
hostname "$name"

cd "$root"
mkdir -p .before
pivot_root . .before
exec chroot . /usr/bin/env -i container=lxc PATH=/usr/sbin:/usr/bin:/sbin:/bin \
  /bin/sh -c 'umount -l /.before && exec /lib/systemd/systemd' </dev/null
