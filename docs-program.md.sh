set -e
limber new arm my-robot.yaml     # a small scene with comments
limber check my-robot.yaml       # what is in it, and every mistake
limber simulate my-robot.yaml    # results go to out/my-robot
limber view out/my-robot         # the report, in the browser
limber simulate my-robot.yaml --set bodies.load.mass=1kg --set joints.elbow.damping=0.1
limber simulate my-robot.yaml --set "motors.elbow motor.keys.1.1=30 deg" --out out/slow
limber sweep my-robot.yaml --over bodies.load.mass=0.1kg:1kg:10
limber sweep my-robot.yaml --over bodies.load.mass=0.2kg,0.5kg --over joints.elbow.damping=0.01:1:3:log --out out/grid
limber compare out/my-robot out/slow
