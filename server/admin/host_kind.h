#ifndef HOST_KIND_H
#define HOST_KIND_H

/* The kind of host decides how an admin changes the limits of a server and schedules its commands. */
enum host_kind {
	HOST_PLAIN,
	HOST_SYSTEMD,   /* with the units of our packages */
	HOST_CONTAINER, /* of Docker or Podman */
	HOST_KUBERNETES,
	HOST_KINDS
};

enum host_kind host_kind_find(void);

#endif
